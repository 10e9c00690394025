//! German cue phrases; see `cues`.

use super::cues::Mark;

/// Phrases are divided by `,`.
pub(super) const TABLE: &[(Mark, &str)] = &[
    (
        Mark::Decided,
        "beschlossen, beschluss, beschließt, beschließen, entschieden, entscheidung, einigen uns, \
         einigten uns, geeinigt, vereinbart, wir nehmen, nehmen wir, wir bleiben, bleiben wir, \
         wir machen, machen wir, wir verzichten, wird beauftragt, genehmigt, abgelehnt, festgelegt, \
         ab jetzt, ab sofort, künftig, stattdessen, gewählt, zugestimmt, angenommen, verschoben, \
         wir lassen, lassen wir, wir behalten, wir stellen um, wir wechseln, dabei bleibt es, \
         bleibt bei, erst im nächsten, findet statt, \
         keine änderung, nicht mehr auf, ab mai, ab juni, geben wir, machen wir nicht, in diesem jahr, \
         dieses jahr nicht, umgestellt, wird halbiert, wird abgesetzt, wird erhöht, erhöht auf, \
         reduziert auf, abgesetzt, korrigiere ich, kein skript, fällt weg, fällt flach, \
         entfällt, wird ersetzt, ersetzen wir, vergeben wir, wird vergeben, termin, statt",
    ),
    (
        Mark::Hard,
        "muss, müssen, musst, müsst, darf nicht, dürfen nicht, darf kein, darf keine, darf nur, \
         dürfen nur, nur mit, nur nach, nur wenn, nur bei, nur bis, verboten, untersagt, \
         verpflichtend, pflicht, vorgeschrieben, höchstens, mindestens, maximal, spätestens, \
         nicht erlaubt, nicht zulässig, auf keinen fall, keinesfalls, nie, niemals, mehr als, \
         keine mehr, darf, dürfen, zwingend, obergrenze, frist, gibt nicht her",
    ),
    (Mark::Soft, "sollte nicht, sollten nicht, möglichst, vermeiden, lieber nicht, soll nicht"),
    (
        Mark::Wanted,
        "ziel, ziele, wollen, wir möchten, ich möchte, möchte gern, anstreben, streben, geplant ist, \
         wünschen uns, wünscht sich, hoffen, würde gern, würde gerne, vorhaben, träumt",
    ),
    (
        Mark::Todo,
        "kümmere mich, kümmert sich, kümmern sich, übernehme, übernimmt, ich schicke, schicke ich, \
         schickt, ich schreibe, schreibe ich, schreibt, ich rufe, rufe ich, ruf, ruft, ich stelle, \
         ich kläre, klärt, ich frage, fragt, organisiert, organisieren, besorgt, besorge, bestellt, \
         bestelle, prüft, prüfe, erledigt, erledigen, bis montag, bis dienstag, bis mittwoch, \
         bis donnerstag, bis freitag, zu erledigen, aufgabe, bitte, soll, vorbereiten, \
         kontrolle in, wiedervorstellung, überweisung, meldet sich, melde mich, reicht ein, \
         bringe, bringt mit, hole, mache ich",
    ),
    (
        Mark::Trouble,
        "problem, probleme, fehler, defekt, kaputt, undicht, schimmel, ausfall, fällt aus, \
         ausgefallen, funktioniert nicht, geht nicht, klappt nicht, fehlt, fehlen, mangel, mängel, \
         beschwerde, beschweren, schmerz, schmerzen, beschwerden, stürzt ab, abgestürzt, zu spät, \
         zu teuer, zu langsam, zu hoch, zu wenig, verspätet, verzögert, störung, riss, leck, tropft, \
         bricht, gebrochen, verloren, unvollständig, falsch, gefahr, risiko, risiken, schwindel, \
         fieber, entzündet, husten, allergisch, wackelt, leider nicht, \
         läuft über, überläuft, schimmelt, hakt, klemmt, platzt, verstopft, ausverkauft, \
         nicht erreichbar, bemängelt, rügt, schlecht, verschlechtert, geschwollen, juckt, \
         ausschlag, unleserlich, doppelt, kommt nicht, kam nicht",
    ),
    (
        Mark::Reason,
        "weil, deshalb, deswegen, daher, dadurch, ursache, grund, liegt daran, liegt an, führt zu, \
         bedeutet, heißt dass, zeigt dass, stellt sich heraus, stellte sich heraus, gelernt, \
         erkenntnis, wegen, aufgrund, sodass, sonst, lag am, lag daran, damit ist, spricht dafür, \
         entsteht wenn, entsteht, nicht umgekehrt, am ehesten, bringt uns, zählt nicht, deutet auf, \
         passt zu, kein wunder, letztes mal, erfahrung",
    ),
    (Mark::Said, "sagte, sagt, meinte, meint, laut, zitat, schrieb, erklärte, wörtlich"),
    (
        Mark::Hedge,
        "vielleicht, wahrscheinlich, vermutlich, eventuell, evtl, wohl, glaube, ich denke, \
         könnte sein, angeblich, möglicherweise, mal sehen",
    ),
    (Mark::Urgent, "dringend, eilig, sofort, umgehend, schnellstmöglich"),
    (Mark::Milestone, "beginn, beginnt, start, startet, endet, ende, fällig, eröffnung, abgabe"),
];
