//! The entities of the sample world.

use serde_json::json;

use super::build::{WorldBuilder, relation};
use crate::model::{Entity, EntityType};

pub(super) const INES: &str = "d10000000000000000000001";
pub(super) const TOMAS: &str = "d10000000000000000000002";
pub(super) const DARIO: &str = "d10000000000000000000003";
pub(super) const LEOCADIA: &str = "d10000000000000000000004";
pub(super) const PIPO: &str = "d10000000000000000000005";
pub(super) const UXIA: &str = "d10000000000000000000006";

pub(super) const CALHAU: &str = "d20000000000000000000001";
pub(super) const ALFANDEGA: &str = "d20000000000000000000002";
pub(super) const FAROL: &str = "d20000000000000000000003";
pub(super) const SALINAS: &str = "d20000000000000000000004";
pub(super) const ILHA: &str = "d20000000000000000000005";

pub(super) const GUILDA: &str = "d30000000000000000000001";
pub(super) const SEM_PORTO: &str = "d30000000000000000000002";

pub(super) const RELOGIO: &str = "d40000000000000000000001";
pub(super) const CHAVE: &str = "d40000000000000000000002";
pub(super) const MAPA: &str = "d40000000000000000000003";
pub(super) const LANTERNA: &str = "d40000000000000000000004";

const MARE_PARADA: &str = "d70000000000000000000001";
const PORTAS_DO_FAROL: &str = "d70000000000000000000002";
const PRIMEIRA_MARE: &str = "d80000000000000000000001";

/// Whether an id is that of a character.
pub(super) fn is_character(id: &str) -> bool {
    id.starts_with("d1")
}

pub(super) fn entities(builder: &WorldBuilder) -> Vec<Entity> {
    let mut entities = characters(builder);
    entities.extend(locations(builder));
    entities.extend(others(builder));
    entities
}

fn characters(builder: &WorldBuilder) -> Vec<Entity> {
    let character = |id: &str, name: &str, summary: &str, attributes| {
        builder.entity(id.to_owned(), EntityType::Character, name, summary, attributes)
    };
    let mut ines = character(
        INES,
        "Inês Varela",
        "Cartógrafa das marés, aprendiz do faroleiro. Desenha o que o mar ainda não decidiu.",
        json!({
            "age": "29 anos",
            "appearance": "pele marcada de sol, sardas",
            "build": "esguia",
            "hair": "castanho, preso com um lápis",
            "eyes": "cinzentos",
            "marks": "manchas de tinta nos dedos",
            "voice": "baixa, precisa",
        }),
    );
    ines.relationships = vec![relation(TOMAS, "student_of"), relation(PIPO, "ally_of")];
    let mut tomas = character(
        TOMAS,
        "Tomás Quintela",
        "Faroleiro do Farol Cego e guardião do relógio. Fala pouco desde a morte de Uxía.",
        json!({
            "age": "61 anos",
            "appearance": "rosto fundo, barba branca curta",
            "hair": "branco",
            "marks": "cicatriz de corda no pulso direito",
        }),
    );
    tomas.relationships = vec![relation(INES, "mentor_of"), relation(UXIA, "student_of")];
    let mut dario = character(
        DARIO,
        "Dário Brandt",
        "Contrabandista que vende tempo: barcas que chegam antes da maré.",
        json!({
            "age": "38 anos",
            "appearance": "sorriso torto, colete de couro",
            "hair": "preto, rente",
            "marks": "um dente de ouro",
        }),
    );
    dario.relationships = vec![relation(LEOCADIA, "rival_of"), relation(SEM_PORTO, "member_of")];
    let mut leocadia = character(
        LEOCADIA,
        "Leocádia Reis",
        "Mestra do porto e voz da Guilda do Sal. Mede tudo, até a compaixão.",
        json!({
            "age": "54 anos",
            "appearance": "alta, luvas brancas",
            "hair": "grisalho, coque severo",
            "voice": "grave",
        }),
    );
    leocadia.relationships = vec![relation(DARIO, "rival_of"), relation(GUILDA, "commands")];
    let mut pipo = character(
        PIPO,
        "Pipo",
        "Menino dos sinos. Sabe a hora pelo cheiro da água.",
        json!({"age": "11 anos", "appearance": "descalço, camisa grande demais", "hair": "ruivo"}),
    );
    pipo.relationships = vec![relation(INES, "ally_of")];
    let mut uxia = character(
        UXIA,
        "Uxía",
        "A primeira relojoeira do farol, morta antes do começo da história.",
        json!({"age": "70 anos em 1871", "appearance": "mãos enormes", "hair": "trança branca"}),
    );
    uxia.relationships = vec![relation(TOMAS, "mentor_of")];
    vec![ines, tomas, dario, leocadia, pipo, uxia]
}

fn locations(builder: &WorldBuilder) -> Vec<Entity> {
    let location = |id: &str, name: &str, summary: &str, attributes| {
        builder.entity(id.to_owned(), EntityType::Location, name, summary, attributes)
    };
    vec![
        location(
            CALHAU,
            "Porto do Calhau",
            "Cais de pedra escura, redes a secar, sinos em cada esquina.",
            json!({
                "era": "fim do século XIX",
                "mood": "expectante",
                "weather": "névoa salgada",
                "travelHours": {ALFANDEGA: 0.25, FAROL: 2, SALINAS: 4},
            }),
        ),
        location(
            ALFANDEGA,
            "Casa da Alfândega",
            "Salão de colunas caiadas onde tudo tem preço e carimbo.",
            json!({
                "era": "fim do século XIX",
                "mood": "burocrático",
                "travelHours": {FAROL: 2},
            }),
        ),
        location(
            FAROL,
            "Farol Cego",
            "Torre sem lâmpada, construída em volta do relógio das marés.",
            json!({
                "era": "fim do século XIX",
                "mood": "solene",
                "weather": "vento de noroeste",
                "detail": "engrenagens verdes de azinhavre",
                "travelHours": {ILHA: 5},
            }),
        ),
        location(
            SALINAS,
            "Salinas de Vidro",
            "Tanques rasos em que o céu se repete até perder a conta.",
            json!({"mood": "irreal", "weather": "sol branco"}),
        ),
        location(
            ILHA,
            "Ilha do Meio",
            "Só existe quando a maré permite.",
            json!({"mood": "sagrado", "weather": "calmaria"}),
        ),
    ]
}

fn others(builder: &WorldBuilder) -> Vec<Entity> {
    let other = |id: &str, kind, name: &str, summary: &str, attributes| {
        builder.entity(id.to_owned(), kind, name, summary, attributes)
    };
    let stopped = format!("item.{RELOGIO}.status == \"PARADO\"");
    let at_the_island = format!("character.{INES}.location == \"{ILHA}\"");
    let in_the_lighthouse = format!("scene.locations contains \"{FAROL}\"");
    let at_war = format!("faction.{GUILDA}.stance == \"em guerra\"");
    vec![
        other(
            GUILDA,
            EntityType::Faction,
            "Guilda do Sal",
            "Quem pesa o sal pesa a cidade.",
            json!({"emblem": "balança sobre onda"}),
        ),
        other(
            SEM_PORTO,
            EntityType::Faction,
            "Os Sem-Porto",
            "Barqueiros que não pagam taxa nem pedem licença.",
            json!({"emblem": "proa sem bandeira"}),
        ),
        other(
            RELOGIO,
            EntityType::Item,
            "Relógio das Marés",
            "Máquina de duas cordas que diz ao mar quando subir.",
            json!({"appearance": "mostrador de osso, três ponteiros"}),
        ),
        other(
            CHAVE,
            EntityType::Item,
            "Chave de bronze",
            "Abre a porta interna do mecanismo.",
            json!({"appearance": "cabeça em forma de concha"}),
        ),
        other(
            MAPA,
            EntityType::Item,
            "Mapa de sal",
            "Desenho de Tomás que mostra a segunda corda.",
            json!({"appearance": "papel encerado, cristais nas dobras"}),
        ),
        other(
            LANTERNA,
            EntityType::Item,
            "Lanterna de Pipo",
            "Pequena, de vidro azul, nunca apagada.",
            json!({"appearance": "vidro azul, alça de arame"}),
        ),
        other(
            MARE_PARADA,
            EntityType::Rule,
            "Com o relógio parado não há ilha",
            "Enquanto o relógio está parado, ninguém pisa na Ilha do Meio.",
            json!({"constraint": {"when": stopped, "forbid": at_the_island, "severity": "ERROR"}}),
        ),
        other(
            PORTAS_DO_FAROL,
            EntityType::Rule,
            "O farol não recebe quem está em guerra",
            "Nenhuma cena no farol acontece com a guilda em guerra.",
            json!({
                "constraint": {"when": in_the_lighthouse, "forbid": at_war, "severity": "WARN"},
            }),
        ),
        other(
            PRIMEIRA_MARE,
            EntityType::Lore,
            "A primeira maré",
            "Conta-se que o mar era imóvel até Uxía lhe dar corda.",
            json!({}),
        ),
    ]
}
