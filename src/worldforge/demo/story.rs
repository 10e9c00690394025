//! The story of the sample world.

use serde_json::json;

use super::build::{NodeBuilder, WorldBuilder, delta, key, set};
use super::entities::{
    ALFANDEGA, CALHAU, CHAVE, DARIO, FAROL, GUILDA, ILHA, INES, LANTERNA, LEOCADIA, MAPA, PIPO,
    RELOGIO, SALINAS, TOMAS, UXIA,
};
use crate::model::ParticipantRole::{Antagonist as A, Protagonist as P, Support as S};
use crate::model::{DeltaOp, EdgeType, NodeType, Requirement, StoryEdge, StoryNode};

pub(super) const CUT: &str = "a corda foi cortada";
pub(super) const WOUND: &str = "corte na mão esquerda";
const BELL: &str = "o terceiro sino";
pub(super) const CORD: &str = "a corda partida";

fn who(id: &str, field: &str) -> String {
    key("character", id, field)
}

fn item(id: &str, field: &str) -> String {
    key("item", id, field)
}

pub(super) fn nodes(builder: &WorldBuilder) -> Vec<StoryNode> {
    let mut nodes = chapters(builder);
    nodes.extend(waiting(builder));
    nodes.extend(remembered(builder));
    nodes.extend(two_ways(builder));
    nodes.extend(loss(builder));
    nodes.extend(endings(builder));
    nodes
}

fn chapters(builder: &WorldBuilder) -> Vec<StoryNode> {
    [
        (101, 10, "A cidade que espera"),
        (102, 90, "Dois caminhos"),
        (103, 160, "O preço"),
        (104, 220, "Corda"),
    ]
    .map(|(number, order, title)| builder.node(number, NodeType::Chapter, order, title))
    .to_vec()
}

fn waiting(builder: &WorldBuilder) -> Vec<StoryNode> {
    vec![
        builder
            .node(1, NodeType::Scene, 20, "O relógio engasga")
            .on("1893-03-01T08:00")
            .with(CALHAU, &[(INES, P), (PIPO, S)])
            .tells(
                "Pela primeira vez em vinte anos a maré se atrasa. Pipo jura ter ouvido um \
                    terceiro sino. Inês anota a hora errada com a mão firme.",
            )
            .aims(
                "Inês quer provar que o atraso é só um erro de leitura.",
                "O mar, diante de todos, não volta.",
                "O terceiro sino toca onde só existem dois.",
            )
            .hooks("Quem tocou o terceiro sino?", &[BELL], &[])
            .changes([
                set(who(INES, "outfit"), "casaco de oleado amarelo"),
                set(who(TOMAS, "alive"), true),
                set(who(UXIA, "alive"), false),
                set(item(RELOGIO, "status"), "FUNCIONANDO"),
                set(item(RELOGIO, "location"), FAROL),
                set(item(CHAVE, "holder"), DARIO),
                set(item(MAPA, "holder"), TOMAS),
                set(item(LANTERNA, "holder"), PIPO),
                delta(who(PIPO, "inventory"), DeltaOp::Add, LANTERNA),
                set("mare.atraso", 0),
                set("rota", "nenhuma"),
            ]),
        builder
            .node(2, NodeType::Scene, 30, "Uma chave por três moedas")
            .on("1893-03-01T10:00")
            .with(ALFANDEGA, &[(INES, P), (DARIO, A)])
            .tells(
                "Na alfândega, Dário oferece uma chave de bronze que não deveria existir. \
                    Inês reconhece a concha gravada na cabeça.",
            )
            .aims(
                "Inês quer saber de onde veio a chave.",
                "Dário só fala em preço.",
                "O preço é um segredo, não moedas.",
            )
            .hooks("A chave abre o quê?", &[], &[])
            .changes([delta(who(DARIO, "inventory"), DeltaOp::Add, CHAVE)]),
        builder
            .node(3, NodeType::Beat, 40, "A troca")
            .on("1893-03-01T10:30")
            .with(ALFANDEGA, &[(INES, P), (DARIO, A), (CHAVE, S)])
            .tells("A chave muda de mãos sobre o balcão de mármore.")
            .changes([
                set(item(CHAVE, "holder"), INES),
                delta(who(DARIO, "inventory"), DeltaOp::Remove, CHAVE),
                delta(who(INES, "inventory"), DeltaOp::Add, CHAVE),
            ]),
        builder
            .node(4, NodeType::Scene, 50, "A lição de Tomás")
            .on("1893-03-01T19:00")
            .with(FAROL, &[(INES, P), (TOMAS, S), (RELOGIO, S)])
            .tells(
                "Tomás mostra o coração do relógio: duas cordas, uma à vista e outra não. \
                    Diz que a segunda já se partiu uma vez.",
            )
            .aims(
                "Inês quer entender a máquina.",
                "Tomás tem medo do que ela vai perguntar.",
                "Ele começa a lembrar.",
            )
            .hooks("Onde fica a segunda corda?", &[CORD], &[])
            .changes([delta(who(INES, "knows"), DeltaOp::Add, "o relógio tem duas cordas")]),
    ]
}

fn remembered(builder: &WorldBuilder) -> Vec<StoryNode> {
    vec![
        builder
            .node(5, NodeType::Scene, 60, "O verão da primeira maré")
            .on("1871-06-10T16:00")
            .with(FAROL, &[(TOMAS, P), (UXIA, S)])
            .tells("O jovem Tomás segura a lanterna enquanto Uxía dá corda ao mar.")
            .aims(
                "Tomás quer aprender o ofício.",
                "Uxía não confia em quem tem pressa.",
                "Ela lhe entrega o desenho da segunda corda.",
            )
            .changes([set(who(TOMAS, "outfit"), "farda de aprendiz")]),
        builder
            .node(6, NodeType::Scene, 70, "A promessa de Uxía")
            .on("1871-06-11T05:00")
            .with(FAROL, &[(TOMAS, P), (UXIA, S)])
            .tells("Ao amanhecer, Uxía faz Tomás prometer que o relógio nunca terá dono.")
            .aims(
                "Uxía quer uma promessa.",
                "Tomás quer uma herança.",
                "Ele promete, e sabe que mente.",
            )
            .changes([delta(who(TOMAS, "knows"), DeltaOp::Add, "o relógio não tem dono")]),
        builder
            .node(7, NodeType::Scene, 80, "A noite do alarme")
            .on("1893-03-01T23:00")
            .with(FAROL, &[(INES, P), (TOMAS, S), (LEOCADIA, A)])
            .tells(
                "O relógio para. Leocádia chega com a guarda da guilda e quer um culpado. \
                    Inês se corta ao travar a engrenagem.",
            )
            .aims(
                "Inês quer ganhar tempo.",
                "Leocádia exige a chave antes do amanhecer.",
                "O mar fica imóvel.",
            )
            .hooks("Seguir Dário ou abrir o relógio?", &[], &[])
            .changes([
                set(item(RELOGIO, "status"), "PARADO"),
                delta(who(INES, "injuries"), DeltaOp::Add, WOUND),
                delta("mare.atraso", DeltaOp::Inc, 3),
            ]),
    ]
}

fn two_ways(builder: &WorldBuilder) -> Vec<StoryNode> {
    let mut meeting = builder
        .node(12, NodeType::Scene, 150, "A reunião na alfândega")
        .on("1893-03-03T10:00")
        .with(ALFANDEGA, &[(INES, P), (LEOCADIA, A), (DARIO, S)])
        .tells(
            "Inês acusa em voz alta: alguém cortou a segunda corda. Na sala, só três pessoas \
                sabiam onde ela ficava.",
        )
        .aims(
            "Inês quer uma confissão.",
            "Leocádia quer silêncio.",
            "Dário baixa os olhos primeiro.",
        );
    meeting.requires = vec![Requirement { entity_id: INES.to_owned(), knows: CUT.to_owned() }];
    vec![
        builder
            .node(8, NodeType::Scene, 100, "A barca sem bandeira")
            .on("1893-03-02T06:00")
            .with(CALHAU, &[(INES, P), (DARIO, A), (PIPO, S)])
            .tells("Inês embarca com Dário sobre um mar que não se mexe.")
            .aims(
                "Inês quer seguir o rastro da corda.",
                "Dário esconde a carga.",
                "Pipo encontra fios de cobre no porão.",
            )
            .changes([set("rota", "mar")]),
        builder
            .node(9, NodeType::Scene, 110, "As salinas de vidro")
            .on("1893-03-02T15:00")
            .with(SALINAS, &[(INES, P), (DARIO, A)])
            .tells("Nas salinas, Inês acha a ponta da corda: um corte limpo, de lâmina.")
            .aims(
                "Inês quer a verdade.",
                "Dário quer que ela desista.",
                "O corte não é de ferrugem.",
            )
            .changes([delta(who(INES, "knows"), DeltaOp::Add, CUT)]),
        builder
            .node(10, NodeType::Scene, 120, "Dentro do mecanismo")
            .on("1893-03-02T07:00")
            .with(FAROL, &[(INES, P), (TOMAS, S), (CHAVE, S), (RELOGIO, S)])
            .tells("A chave gira. No fundo da torre, a segunda corda pende, cortada.")
            .aims(
                "Inês quer consertar o relógio.",
                "Tomás teme o que a porta esconde.",
                "A corda não se partiu: foi cortada.",
            )
            .changes([set("rota", "farol"), delta(who(INES, "knows"), DeltaOp::Add, CUT)]),
        builder
            .node(11, NodeType::Beat, 130, "O terceiro sino")
            .on("1893-03-02T09:00")
            .with(FAROL, &[(INES, P), (PIPO, S)])
            .tells("Pipo mostra o sino escondido: o terceiro, que só toca quando a corda cede.")
            .hooks("", &[], &[BELL]),
        meeting,
        builder
            .node(13, NodeType::Scene, 170, "A confissão de Dário")
            .on("1893-03-03T12:00")
            .with(ALFANDEGA, &[(INES, P), (DARIO, A)])
            .tells("Quem navegou com ele ouve a verdade: Dário vendeu o corte à guilda.")
            .aims("Inês quer um nome.", "Dário quer perdão.", "O nome é o da própria guilda.")
            .changes([set(key("faction", GUILDA, "stance"), "hostil")]),
        builder
            .node(14, NodeType::Scene, 180, "A oferta de Leocádia")
            .on("1893-03-03T12:30")
            .with(ALFANDEGA, &[(INES, P), (LEOCADIA, A)])
            .tells("Quem abriu o relógio recebe um cargo: Leocádia quer Inês do lado dela.")
            .aims(
                "Leocádia quer comprar o silêncio.",
                "Inês quer o relógio livre.",
                "A oferta vem com a prova do crime.",
            )
            .changes([set(key("faction", GUILDA, "stance"), "cautelosa")]),
    ]
}

fn loss(builder: &WorldBuilder) -> Vec<StoryNode> {
    vec![
        builder
            .node(15, NodeType::Scene, 200, "A morte no cais")
            .on("1893-03-04T22:00")
            .with(CALHAU, &[(INES, P), (DARIO, A), (TOMAS, S), (PIPO, S), (MAPA, S), (LANTERNA, S)])
            .tells(
                "Tomás queima o mapa de sal para que ninguém o siga. A maré, que não vinha, vem \
                    de uma vez. Pipo salva a lanterna; Tomás fica.",
            )
            .aims(
                "Tomás quer cumprir a promessa.",
                "Dário quer o mapa.",
                "O velho faroleiro não volta do cais.",
            )
            .changes([
                set(item(MAPA, "status"), "DESTROYED"),
                set(item(MAPA, "holder"), json!(null)),
                set(item(LANTERNA, "holder"), INES),
                delta(who(PIPO, "inventory"), DeltaOp::Remove, LANTERNA),
                delta(who(INES, "inventory"), DeltaOp::Add, LANTERNA),
                set(who(TOMAS, "alive"), false),
            ]),
        builder
            .node(16, NodeType::Beat, 210, "Luto")
            .on("1893-03-20T07:00")
            .with(FAROL, &[(INES, P)])
            .tells("A mão cicatriza. O resto não.")
            .changes([
                delta(who(INES, "injuries"), DeltaOp::Remove, WOUND),
                delta(who(INES, "knows"), DeltaOp::Add, "a promessa de Uxía"),
            ]),
    ]
}

fn endings(builder: &WorldBuilder) -> Vec<StoryNode> {
    let promise = super::node_id(6);
    vec![
        builder
            .node(17, NodeType::Scene, 230, "Três meses depois")
            .on("1893-06-07T09:00")
            .with(CALHAU, &[(INES, P), (LEOCADIA, S)])
            .tells(
                "A cidade aprendeu a viver sem maré. Inês veste a farda do farol e Leocádia \
                    lhe entrega a decisão.",
            )
            .aims(
                "Inês quer decidir sozinha.",
                "A cidade inteira espera uma resposta.",
                "Ela percebe que o relógio nunca teve dono.",
            )
            .hooks("Dar corda ou deixar parar?", &[], &[])
            .changes([set(who(INES, "outfit"), "farda azul do farol")]),
        builder
            .node(18, NodeType::Scene, 240, "Dar corda ao mundo")
            .on("1893-06-08T06:00")
            .with(FAROL, &[(INES, P), (PIPO, S), (RELOGIO, S)])
            .tells("Inês amarra a corda partida com a sua própria. O mar respira.")
            .aims("Inês quer cumprir a promessa.", "A corda pode ceder.", "O ponteiro anda.")
            .hooks("", &[], &[CORD, &promise])
            .changes([set(item(RELOGIO, "status"), "FUNCIONANDO")]),
        builder
            .node(19, NodeType::Scene, 260, "Deixar o mar decidir")
            .on("1893-06-08T06:00")
            .with(FAROL, &[(INES, P), (DARIO, A), (RELOGIO, S)])
            .tells("Inês solta a corda partida e o relógio cai pela torre, sino por sino.")
            .aims(
                "Inês quer libertar o mar.",
                "Dário ainda venderia as peças.",
                "Não sobra nada para vender.",
            )
            .hooks("", &[], &[CORD, &promise])
            .changes([set(item(RELOGIO, "status"), "DESTROYED")]),
        builder
            .node(20, NodeType::Beat, 250, "A ilha volta")
            .on("1893-06-08T18:00")
            .with(ILHA, &[(INES, P), (PIPO, S)])
            .tells("Ao entardecer há uma ilha onde não havia."),
        builder
            .node(21, NodeType::Scene, 270, "O porto sem relógio")
            .on("1893-06-20T12:00")
            .with(CALHAU, &[(INES, P), (LEOCADIA, S), (PIPO, S)])
            .tells("A maré chega quando quer. A cidade, aos poucos, também.")
            .aims(
                "Inês quer ensinar a esperar.",
                "Leocádia já não sabe medir.",
                "Pipo ri: o mar chegou cedo.",
            ),
    ]
}

pub(super) fn edges(builder: &WorldBuilder) -> Vec<StoryEdge> {
    use EdgeType::{Branch, Choice, Flashback, Linear, Timejump};
    let mut edges: Vec<StoryEdge> = [
        (1, 2, Linear),
        (2, 3, Linear),
        (3, 4, Linear),
        (4, 5, Flashback),
        (5, 6, Linear),
        (6, 7, Timejump),
        (7, 8, Choice),
        (7, 10, Choice),
        (8, 9, Linear),
        (10, 11, Linear),
        (9, 12, Linear),
        (11, 12, Linear),
        (12, 13, Branch),
        (12, 14, Branch),
        (13, 15, Linear),
        (14, 15, Linear),
        (15, 16, Timejump),
        (16, 17, Timejump),
        (17, 18, Choice),
        (17, 19, Choice),
        (18, 20, Linear),
        (19, 21, Linear),
    ]
    .into_iter()
    .map(|(from, to, kind)| builder.edge(from, to, kind))
    .collect();
    for (to, way) in [(13, "mar"), (14, "farol")] {
        let edge = edges.iter_mut().find(|edge| edge.to_node_id == super::node_id(to));
        if let Some(edge) = edge {
            edge.conditions = vec![format!("rota == \"{way}\"")];
        }
    }
    edges
}
