//! Portuguese cue phrases; see `cues`.

use super::cues::Mark;

/// Phrases are divided by `,`.
pub(super) const TABLE: &[(Mark, &str)] = &[
    (
        Mark::Decided,
        "decidimos, decidido, decidida, decidi, decidiram, decisão, deliberou, aprovado, aprovada, \
         aprovaram, aprovou, combinamos, combinámos, ficou decidido, ficou combinado, acordado, \
         acordámos, optamos, optámos, escolhemos, vamos usar, vamos de, vamos com, vamos manter, \
         vamos trocar, vamos ficar, ficamos com, fica com, então vai, fechamos, fechámos, \
         a partir de agora, em vez de, rejeitado, rejeitada, adiado, adiada, manda trocar, \
         vai o, vai a, compro, mantemos, passa a ser, fica para, fica assim, \
         deliberado, deliberada, aprovados, aprovadas, adjudicada, adjudicado, será pago, será paga, \
         foi aprovada, foi aprovado, continua igual, não vou, não vamos, limita se, eu fico, \
         revezam, reveza, dividem, aumentou, reduziu, suspendeu, cortou, trocou, mudou para, \
         agora é, fica marcado, fica marcada, por unanimidade, substituir por, decide se",
    ),
    (
        Mark::Hard,
        "deve, devem, tem de, tem que, têm de, têm que, temos de, temos que, tens de, precisa ser, \
         é obrigatório, obrigatório, obrigatória, proibido, proibida, não pode, não podem, \
         não podemos, não posso, não dá pra, só pode, só podem, só deixa, no máximo, no mínimo, \
         nunca, limite, até no máximo, exige, exigem, não é permitido, somente, prazo, ou não há, \
         vedado, vedada, nem pensar, não pode passar",
    ),
    (Mark::Soft, "não deveria, evitar, de preferência, convém, melhor não, prefere, prefiro"),
    (
        Mark::Wanted,
        "objetivo, objectivo, meta, queremos, gostaríamos, gostaria, pretendemos, pretendo, \
         sonho, esperamos, quero, a ideia é, queria",
    ),
    (
        Mark::Todo,
        "vou avisar, vou pedir, vou mandar, vou ligar, vou marcar, vou enviar, vou ver, vou fazer, \
         vou levar, vou comprar, vou falar, fica de, ficou de, ficou responsável, responsável por, \
         vai enviar, vai pedir, vai ligar, vai marcar, vai fazer, vai levar, vai falar, envia, \
         mando, ligo, marco, levo, trago, aviso, pedir, agendar, marcar, enviar, ligar, retorno em, \
         repetir, falta comprar, por favor, encarregado, encarregada, tratar de, trata de, \
         até segunda, até terça, até quarta, até quinta, até sexta, redijo, providenciar",
    ),
    (
        Mark::Trouble,
        "problema, problemas, erro, erros, falha, falhas, falhou, quebrou, quebrado, quebrada, \
         estragado, estragada, avariado, avariada, enferrujado, vazamento, vaza, pingando, \
         não funciona, não abre, não liga, atraso, atrasado, atrasada, reclamou, reclamaram, \
         reclamação, queixa, queixas, dor, dores, dói, febre, tontura, tonturas, falta de, \
         perdido, perdeu, caro demais, muito caro, infiltração, risco, riscos, preocupado, caiu, \
         cai, sem remuneração, alergia, alérgica, alérgico, inchado, rachadura, mofo, incompleto, \
         em dívida, queixaram, não conformidades, não autorizou, recusou, negou, barulho, infiltrações, \
         pingou, entupido, entupida, rasgado, sujo, esqueceu, confusa, confuso, tosse, \
         parou de, deixou de funcionar, não chegou, em falta, esgotado, avaria",
    ),
    (
        Mark::Reason,
        "porque, por isso, por causa, portanto, causa, devido, significa, quer dizer, ou seja, \
         aprendemos, descobrimos, mostra que, acontece que, no fundo, explica, senão, graças a, \
         já que, resultado, motivo, daí, \
         deve se, sobretudo, na verdade, risca fácil, aprendi, na prática, o segredo",
    ),
    (Mark::Said, "disse, falou, segundo, contou, citou, escreveu, afirmou, comentou"),
    (
        Mark::Hedge,
        "talvez, acho, provavelmente, parece, se calhar, creio, deve ser, quem sabe, não sei",
    ),
    (Mark::Urgent, "urgente, urgência, imediatamente, já hoje, o quanto antes, quanto antes"),
    (Mark::Milestone, "início, começa, começam, termina, estreia, entrega, vence, lançamento"),
];
