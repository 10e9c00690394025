//! Phrases of talk around the matter, in three languages: notices that programs add, thinking
//! aloud, and the scene of a meeting.
//!
//! One table for the three languages, because notices of programs are often in another language
//! than the text. Only the features of a sentence use it.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::cues::starts;
use super::words::Word;

/// What a phrase is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Talk {
    /// What a program adds: the small print of a mail, the head of a transcript, a queue.
    Notice,
    /// Thinking aloud, exclamations, jokes, feelings.
    Musing,
    /// Who was there, who greeted whom, what went round.
    Scene,
}

/// Phrases are divided by `,`.
const TABLE: &[(Talk, &str)] = &[
    (
        Talk::Notice,
        "confidential information, intended recipient, intended solely, in error please, \
         notify the sender, consider the environment, before printing, sent from my, unsubscribe, \
         all rights reserved, transcribed, transcript, auto generated, automatically generated, \
         may be recorded, in the queue, rate this, this conversation, has joined, joined the, \
         left the chat, left the group, approved these changes, requested changes, view details, \
         merge pull, commented on, message deleted, this message was deleted, \
         end to end encrypted, media omitted, image omitted, missed call, forwarded message, \
         original message, nits, minutes of, apologies for absence, any other business, \
         matters arising, seconded, page of, voice memo, voice note, vertrauliche informationen, \
         richtige adressat, richtigen adressaten, an die umwelt, diese nachricht, diese mail, \
         diese e-mail, dieser e-mail, irrtümlich erhalten, gesendet, von meinem iphone gesendet, \
         verschriftet, mitschrift, maschinell erstellt, automatisch erstellt, transkript, \
         sprachnachricht, nachricht gelöscht, anwesend, entschuldigt, protokollant, \
         protokollführung, nächster termin, nächstes treffen, ohne ergebnis, keine anmerkungen, \
         am apparat, ursprüngliche nachricht, informações confidenciais, por engano, \
         avise o remetente, meio ambiente, antes de imprimir, esta mensagem, este e-mail, \
         enviado do, enviado por, mensagem apagada, mídia oculta, transcrição, \
         ordem de trabalhos, chamada perdida, mensagem encaminhada",
    ),
    (
        Talk::Musing,
        "i don't know, don't know, dunno, no idea, i know i know, i mean, you know, isn't it, \
         aren't they, or something, something like that, thinking about, funny, ridiculous, \
         silly, my god, oh dear, god knows, who knows, anyway, i completely understand, \
         i understand how, frustrating, don't worry, to be honest, honestly, believe it, \
         can you imagine, bless, where was i, note to self, bye, see you, talk tomorrow, a joke, \
         joking, joked, keine ahnung, weiß nicht, weiß ich nicht, was weiß ich, na ja, tja, \
         oder so, oder was, mal ehrlich, ehrlich gesagt, mein gott, gott sei dank, witz, lustig, \
         haha, hihi, komisch, verrückt, wo war ich, grüßen sie, grüß, schönen gruß, \
         stell dir vor, stellen sie sich, wer weiß, kann man nichts, sei lá, não sei, quem sabe, \
         ninguém sabe, nunca se sabe, meu deus, que saudades, que ridículo, ridículo, paciência, \
         graças a deus, como é que se, enfim, imagina, que susto, brincou, piada, engraçado, rs, \
         kkk, deus queira, olha só, sabe como é",
    ),
    (
        Talk::Scene,
        "welcomed, thanked, asked if, asked whether, asked about, wondered, mentioned, \
         went round, passed round, closed the meeting, opened the meeting, adjourned, \
         no further business, laughed, laughter, applause, chatted, told us about, remarked, \
         talked about, discussion, at length, read out the minutes, took the minutes, begrüßt, \
         begrüßte, dankt, dankte, bedankt sich, eröffnet die, schließt die, fragte ob, fragt ob, \
         gelacht, gelächter, applaus, diskussion, diskutiert, lange gesprochen, erzählt, \
         erzählte, ging herum, agradeceu, cumprimentou, perguntou se, riram, risos, aplausos, \
         conversei, conversámos, conversamos, contou que, abriu a sessão, encerrou, \
         discutiu se",
    ),
];

type Rest = (Vec<&'static str>, Talk);

/// Phrases by their first word. Never walked through, so its order does not matter.
static PHRASES: LazyLock<HashMap<&'static str, Vec<Rest>>> = LazyLock::new(|| {
    let mut by_first: HashMap<&str, Vec<Rest>> = HashMap::new();
    for (talk, phrases) in TABLE {
        for phrase in phrases.split(',') {
            let mut words = phrase.split_whitespace();
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push((words.collect(), *talk));
            }
        }
    }
    by_first
});

/// What the phrases of a sentence are part of.
pub(super) fn talk(words: &[Word<'_>]) -> Vec<Talk> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let after = words.get(at + 1..).unwrap_or_default();
        let phrases = PHRASES.get(word.text.as_ref()).into_iter().flatten();
        found.extend(phrases.filter(|(rest, _)| starts(after, rest)).map(|(_, talk)| *talk));
    }
    found
}
