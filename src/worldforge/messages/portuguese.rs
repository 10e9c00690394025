//! Continuity in Portuguese.

use super::Text;
use crate::continuity::Code;

const fn text(message: &'static str, suggestion: &'static str) -> Text {
    Text { message, suggestion }
}

pub(super) fn texts(code: Code) -> &'static [Text] {
    match code {
        Code::CharLocationMismatch => {
            const {
                &[text(
                    "{0} está em {1}, mas “{node}” se passa em {2}.",
                    "Defina o local de {0} neste nó ou acrescente {1} aos locais do nó.",
                )]
            }
        }
        Code::CharTeleport => {
            const {
                &[text(
                    "{0} vai de {1} para {2} em “{node}” sem que passe tempo na história.",
                    "Dê ao nó uma data posterior ou chegue a ele por um salto no tempo.",
                )]
            }
        }
        Code::TravelTooFast => {
            const {
                &[text(
                    "{0} chega de {1} a {2} em “{node}” em menos tempo do que as {3} horas do caminho.",
                    "Coloque o nó em data posterior ou encurte o caminho nos locais.",
                )]
            }
        }
        Code::CharDoubleBooked => {
            const {
                &[text(
                    "{0} participa de “{1}” e de “{node}”, em locais diferentes, ambos em {2}.",
                    "Mude a data de um dos nós ou retire {0} de um deles.",
                )]
            }
        }
        Code::CharDeadActive => {
            const {
                &[text(
                    "{0} participa de “{node}”, mas já morreu.",
                    "Retire {0} dos participantes, conte como flashback ou adie a morte.",
                )]
            }
        }
        Code::CharResurrected => {
            const {
                &[text(
                    "{0} já morreu e volta à vida em “{node}”.",
                    "Retire a mudança ou escreva uma RULE com CHAR_RESURRECTED em `permits`.",
                )]
            }
        }
        Code::CharPosthumousLearning => {
            const {
                &[text(
                    "{0} descobre “{1}” em “{node}”, mas já morreu.",
                    "Deixe {0} descobrir antes da morte ou deixe outra pessoa descobrir.",
                )]
            }
        }
        Code::ItemResurrected => {
            const {
                &[text(
                    "O item {0} tinha sido destruído, mas passa a {1} em “{node}”.",
                    "Retire a mudança ou escreva uma RULE com ITEM_RESURRECTED em `permits`.",
                )]
            }
        }
        Code::ItemDestroyedPresent => {
            const {
                &[text(
                    "O item {0} está em “{node}”, mas foi destruído ou perdido.",
                    "Retire o item {0} do nó ou deixe que seja achado antes, mudando o status.",
                )]
            }
        }
        Code::ItemTwoHolders => {
            const {
                &[text(
                    "Depois de “{node}”, tanto {1} quanto {2} têm o item {0}.",
                    "Retire {0} de um inventário ou defina como portador quem está com ele.",
                )]
            }
        }
        Code::ItemHolderAbsent => {
            const {
                &[text(
                    "O item {0} é usado em “{node}”, mas {1}, que está com ele, não está na cena.",
                    "Acrescente {1} aos participantes ou entregue {0} antes.",
                )]
            }
        }
        Code::ItemTransferUnseen => {
            const {
                &[text(
                    "O item {0} sai das mãos de {1} em “{node}”, mas {1} não está na cena.",
                    "Acrescente {1} aos participantes ou mostre como {0} foi perdido ou tomado.",
                )]
            }
        }
        Code::InjuryVanished => {
            const {
                &[text(
                    "O ferimento “{1}” de {0} some em “{node}” sem que tenha passado tempo.",
                    "Coloque o nó em data posterior, chegue por um salto no tempo ou mantenha o ferimento.",
                )]
            }
        }
        Code::OutfitChangeUnmotivated => {
            const {
                &[text(
                    "{0} vestia “{1}” há um instante no mesmo local e veste “{2}” em “{node}”.",
                    "Mantenha a roupa ou deixe passar tempo entre as cenas.",
                )]
            }
        }
        Code::KnowledgeLeak => {
            const {
                &[
                    text(
                        "{0} precisa saber “{1}” em “{node}”, mas ainda não descobriu.",
                        "Deixe {0} descobrir em um nó anterior: ADD em `knows`.",
                    ),
                    text(
                        "O caminho de “{2}” a “{node}” exige que {0} saiba “{1}”, o que {0} nunca descobriu.",
                        "Deixe {0} descobrir em um nó anterior: ADD em `knows`.",
                    ),
                ]
            }
        }
        Code::PayoffBeforeSetup => {
            const {
                &[text(
                    "“{node}” cumpre a promessa “{0}”, mas “{1}”, que a faz, não vem antes.",
                    "Faça a promessa no caminho até este nó ou cumpra-a mais tarde.",
                )]
            }
        }
        Code::PayoffTargetMissing => {
            const {
                &[text(
                    "“{node}” cumpre a promessa “{0}”, que nenhum nó faz.",
                    "Acrescente “{0}” aos prenúncios de um nó anterior ou corrija o alvo.",
                )]
            }
        }
        Code::ForeshadowUnpaid => {
            const {
                &[text(
                    "A promessa “{0}” de “{node}” não é cumprida em nenhum nó depois dele.",
                    "Acrescente “{0}” aos alvos de um nó posterior ou retire a promessa.",
                )]
            }
        }
        Code::TimeOrderInversion => {
            const {
                &[text(
                    "A aresta de “{0}” leva a “{1}”, que não é contado depois ({2}, então {3}).",
                    "Aumente a ordem de “{1}” ou faça da aresta um salto no tempo ou flashback.",
                )]
            }
        }
        Code::InworldDateRegression => {
            const {
                &[text(
                    "A data volta atrás de “{0}” ({2}) para “{1}” ({3}).",
                    "Corrija uma data ou faça da aresta um salto no tempo ou flashback.",
                )]
            }
        }
        Code::FlashbackNotEarlier => {
            const {
                &[text(
                    "O flashback de “{0}” ({2}) leva a “{1}” ({3}), que não é anterior.",
                    "Coloque “{1}” antes de “{0}” ou faça da aresta um salto no tempo.",
                )]
            }
        }
        Code::TimeOrderDuplicate => {
            const {
                &[text(
                    "“{0}” e “{node}” estão no mesmo caminho e têm a mesma ordem {1}.",
                    "Dê outra ordem a um deles.",
                )]
            }
        }
        Code::EdgeConditionUnsatisfiable => {
            const {
                &[text(
                    "O caminho de “{0}” a “{node}” nunca se abre: {1} é falso em todos os caminhos.",
                    "Mude a condição ou deixe que um nó anterior a torne verdadeira.",
                )]
            }
        }
        Code::EdgeConditionUnknownKey => {
            const {
                &[text(
                    "O caminho de “{0}” a “{node}” pergunta por {1}, que nenhum nó altera.",
                    "Corrija a chave ou deixe que um nó a defina.",
                )]
            }
        }
        Code::BranchStateDivergence => {
            const {
                &[text(
                    "Os caminhos que se encontram em “{node}” discordam sobre {0}.",
                    "Defina o valor neste nó ou dê a cada caminho um nó próprio.",
                )]
            }
        }
        Code::GraphCycle => {
            const {
                &[text(
                    "O caminho de “{node}” a “{0}” fecha um círculo.",
                    "Retire a aresta ou faça dela um salto no tempo, se a história dá voltas.",
                )]
            }
        }
        Code::GraphUnreachable => {
            const {
                &[
                    text("Nada leva do começo até “{node}”.", "Ligue o nó à história."),
                    text(
                        "Todos os caminhos até “{node}” são fechados por uma condição anterior.",
                        "Verifique os nós anteriores e as condições das suas arestas.",
                    ),
                ]
            }
        }
        Code::GraphDeadEnd => {
            const {
                &[text(
                    "A história para em “{node}”, que não está no último capítulo.",
                    "Acrescente uma aresta ao que vem depois ou dispense o aviso se for um final.",
                )]
            }
        }
        Code::ChoiceSingleOption => {
            const {
                &[text(
                    "Só uma escolha sai de “{node}”, a que leva a “{0}”.",
                    "Acrescente outra escolha ou faça da aresta uma linear.",
                )]
            }
        }
        Code::RefMissing => {
            const {
                &[
                    text(
                        "“{node}” tem um participante que não existe: {0}.",
                        "Crie a entidade ou retire o participante.",
                    ),
                    text("“{node}” tem um local que não existe: {0}.", "Crie o local ou retire-o."),
                    text(
                        "Uma mudança de “{node}” cita uma entidade que não existe: {0}.",
                        "Crie a entidade ou corrija o id na mudança.",
                    ),
                    text(
                        "“{node}” exige o conhecimento de alguém que não existe: {0}.",
                        "Crie o personagem ou corrija a exigência.",
                    ),
                    text(
                        "“{node}” cita um capítulo que não existe: {0}.",
                        "Corrija o capítulo ou deixe-o a cargo da ordem da narração.",
                    ),
                    text(
                        "Uma aresta de “{node}” leva a um nó que não existe ou vem de um: {0}.",
                        "Retire a aresta ou crie o nó.",
                    ),
                ]
            }
        }
        Code::RefWrongType => {
            const {
                &[
                    text(
                        "{0} não pode participar de “{node}”: regras e lendas não agem.",
                        "Cite um personagem, um item, uma facção ou um local.",
                    ),
                    text("“{node}” se passa em {0}, que não é um local.", "Cite um local."),
                    text(
                        "Uma mudança de “{node}” cita {0}, que não é do tipo esperado ali.",
                        "Corrija a chave ou o id na mudança.",
                    ),
                    text(
                        "“{node}” exige que {0} saiba algo, mas {0} não é personagem.",
                        "Cite um personagem.",
                    ),
                    text("“{node}” cita “{0}” como capítulo, mas não é um.", "Cite um capítulo."),
                ]
            }
        }
        Code::DeltaTypeMismatch => {
            const {
                &[text(
                    "{1} {2} em “{node}” não funciona com o valor de {0}.",
                    "INC e DEC precisam de um número, ADD e REMOVE de uma lista; SET substitui tudo.",
                )]
            }
        }
        Code::DeltaContradictory => {
            const {
                &[text(
                    "“{node}” define {0} como {1} e como {2}.",
                    "Mantenha uma das mudanças ou divida o nó em dois.",
                )]
            }
        }
        Code::DeltaRemoveMissing => {
            const {
                &[text(
                    "“{node}” tira {2} de {0}, onde não está.",
                    "Retire a mudança ou deixe que um nó anterior acrescente {2}.",
                )]
            }
        }
        Code::RuleViolation => {
            const {
                &[text("“{node}” quebra a regra “{0}”. {1}", "Mude o nó ou a restrição da regra.")]
            }
        }
        Code::RelationContradiction => {
            const {
                &[text(
                    "{0} e {1}, ambos em “{node}”, constam como aliados e como inimigos.",
                    "Mantenha uma das relações.",
                )]
            }
        }
        Code::RelationAsymmetric => {
            const {
                &[text(
                    "{0} tem com {2} a relação {1}, mas não há a relação de volta.",
                    "Ligue também {2} a {0}.",
                )]
            }
        }
        Code::SceneNoLocation => {
            const { &[text("A cena “{node}” não tem local.", "Acrescente um local.")] }
        }
        Code::SceneNoProtagonist => {
            const {
                &[text(
                    "A cena “{node}” não tem protagonista.",
                    "Dê a um dos participantes o papel PROTAGONIST.",
                )]
            }
        }
        Code::SceneGoalsEmpty => {
            const { &[text("Faltam à cena “{node}”: {0}.", "Escreva para que serve a cena.")] }
        }
        Code::PublishedUsesDraft => {
            const {
                &[
                    text("“{node}” está publicado, mas {0} é rascunho.", "Publique {0}."),
                    text(
                        "“{node}” está publicado, mas {0} tem mudanças não publicadas.",
                        "Publique {0} outra vez.",
                    ),
                ]
            }
        }
        Code::StateWidened => {
            const {
                &[text(
                    "Caminhos demais se encontram em “{node}”; achados posteriores podem misturá-los.",
                    "Defina neste nó as chaves que diferem, para que os caminhos voltem a concordar.",
                )]
            }
        }
        Code::FlashbackUnanchored => {
            const {
                &[text(
                    "O flashback “{node}” não tem data comparável e começa de um mundo vazio.",
                    "Dê datas do mesmo calendário a ele e aos nós anteriores.",
                )]
            }
        }
        Code::NodeUnlinked => {
            const {
                &[text(
                    "Nenhuma aresta leva a “{node}”; ele segue o nó contado antes.",
                    "Ligue o nó à história.",
                )]
            }
        }
        Code::EdgeConditionFreeform => {
            const {
                &[text(
                    "Uma condição no caminho de “{0}” a “{node}” é só uma observação: {1}",
                    "Escreva `chave == valor`, `chave` ou `!chave` se ela deve ser verificada.",
                )]
            }
        }
    }
}
