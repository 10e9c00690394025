//! Page layout: layers from top to bottom, each node below its predecessors, and within a layer near
//! them.
//!
//! Only edges that go forward in the telling decide layers, so there is no cycle. A long edge gets a
//! free lane through the layers it passes; a very long or backward edge runs beside the graph. Knows
//! only numbers.

/// Width of a node.
pub(super) const WIDTH: f64 = 224.0;
/// Height of a node.
pub(super) const HEIGHT: f64 = 76.0;
const GAP: f64 = 32.0;
const LANE: f64 = 28.0;
const LAYER: f64 = 64.0;
const MARGIN: f64 = 24.0;
/// Longer edges get no lane.
const LONGEST: usize = 12;

/// Where everything is.
pub(super) struct Layout {
    /// Width of the page.
    pub(super) width: f64,
    /// Height of the page.
    pub(super) height: f64,
    /// Centres of the nodes.
    pub(super) nodes: Vec<(f64, f64)>,
    /// Ways of the edges, in their order.
    pub(super) ways: Vec<EdgePath>,
}

/// The way of an edge.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EdgePath {
    /// Down through these points.
    Down(Vec<(f64, f64)>),
    /// Beside the graph: from a point, at this distance from the left, to a point.
    Beside((f64, f64), f64, (f64, f64)),
}

/// A place in a layer.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Node(usize),
    /// An edge that passes.
    Lane(usize),
}

/// Lays out nodes in the order of the telling and edges between their positions.
pub(super) fn lay_out(count: usize, edges: &[(usize, usize)]) -> Layout {
    let layer = layers(count, edges);
    let deep = layer.iter().copied().max().map_or(0, |last| last + 1);
    let mut slots: Vec<Vec<Slot>> = vec![Vec::new(); deep];
    for (node, at) in layer.iter().enumerate() {
        slots[*at].push(Slot::Node(node));
    }
    let span = |&(from, to): &(usize, usize)| {
        layer[to].checked_sub(layer[from]).filter(|span| (1..=LONGEST).contains(span))
    };
    for (index, edge) in edges.iter().enumerate() {
        let passed = span(edge).map_or(0, |span| span - 1);
        for below in 1..=passed {
            slots[layer[edge.0] + below].push(Slot::Lane(index));
        }
    }
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, (from, to)) in edges.iter().enumerate() {
        if layer[*from] < layer[*to] {
            into[*to].push(index);
        }
    }
    let mut at = Positions { nodes: vec![0.0; count], lanes: vec![Vec::new(); edges.len()] };
    for slots in &slots {
        let order = sorted(slots, edges, &into, &at);
        place(&order, &mut at);
    }
    centre(&slots, &mut at);
    finish(&layer, edges, &at, span)
}

/// One below the lowest predecessor; an unlinked node follows the previous node in the telling.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in edges.iter().filter(|(from, to)| from < to) {
        into[to].push(from);
    }
    let mut layer: Vec<usize> = Vec::with_capacity(count);
    for (node, before) in into.iter().enumerate() {
        let lowest = before.iter().map(|from| layer[*from] + 1).max();
        let alone = || if node == 0 { 0 } else { layer[node - 1] + 1 };
        let at = lowest.unwrap_or_else(alone);
        layer.push(at);
    }
    layer
}

struct Positions {
    nodes: Vec<f64>,
    /// Of each edge, one a layer that it passes.
    lanes: Vec<Vec<f64>>,
}

/// The slots of a layer by the middle of what leads to them.
fn sorted(
    slots: &[Slot],
    edges: &[(usize, usize)],
    into: &[Vec<usize>],
    at: &Positions,
) -> Vec<Slot> {
    let above = |edge: usize| at.lanes[edge].last().copied().unwrap_or(at.nodes[edges[edge].0]);
    let mut keyed: Vec<(f64, usize, Slot)> = slots
        .iter()
        .enumerate()
        .map(|(position, slot)| {
            let middle = match *slot {
                Slot::Lane(edge) => above(edge),
                Slot::Node(node) => {
                    let edges = &into[node];
                    #[allow(clippy::cast_precision_loss, reason = "few edges lead to a node")]
                    let count = edges.len().max(1) as f64;
                    edges.iter().map(|edge| above(*edge)).sum::<f64>() / count
                }
            };
            (middle, position, *slot)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keyed.into_iter().map(|(_, _, slot)| slot).collect()
}

fn room(slot: Slot) -> f64 {
    match slot {
        Slot::Node(_) => WIDTH + GAP,
        Slot::Lane(_) => LANE,
    }
}

/// Side by side around zero.
fn place(order: &[Slot], at: &mut Positions) {
    let total: f64 = order.iter().map(|slot| room(*slot)).sum();
    let mut left = -total / 2.0;
    for slot in order {
        let x = left + room(*slot) / 2.0;
        match *slot {
            Slot::Node(node) => at.nodes[node] = x,
            Slot::Lane(edge) => at.lanes[edge].push(x),
        }
        left += room(*slot);
    }
}

/// Moves everything to the right of the margin.
fn centre(slots: &[Vec<Slot>], at: &mut Positions) {
    let widest = slots
        .iter()
        .map(|layer| layer.iter().map(|slot| room(*slot)).sum::<f64>())
        .fold(WIDTH + GAP, f64::max);
    let shift = widest / 2.0 + MARGIN;
    at.nodes.iter_mut().for_each(|x| *x += shift);
    at.lanes.iter_mut().flatten().for_each(|x| *x += shift);
}

fn finish(
    layer: &[usize],
    edges: &[(usize, usize)],
    at: &Positions,
    span: impl Fn(&(usize, usize)) -> Option<usize>,
) -> Layout {
    #[allow(clippy::cast_precision_loss, reason = "no story has 2^52 layers")]
    let y = |layer: usize| MARGIN + HEIGHT / 2.0 + layer as f64 * (HEIGHT + LAYER);
    let nodes: Vec<(f64, f64)> =
        at.nodes.iter().zip(layer).map(|(x, layer)| (*x, y(*layer))).collect();
    let right = at.nodes.iter().fold(0.0, |right: f64, x| right.max(x + WIDTH / 2.0));
    let right = at.lanes.iter().flatten().fold(right, |right, x| right.max(*x)) + GAP / 2.0;
    let mut beside = right;
    let mut ways = Vec::with_capacity(edges.len());
    for (index, edge) in edges.iter().enumerate() {
        let (from, to) = (nodes[edge.0], nodes[edge.1]);
        if span(edge).is_none() {
            beside += LANE / 2.0;
            let (start, end) = ((from.0 + WIDTH / 2.0, from.1), (to.0 + WIDTH / 2.0, to.1));
            ways.push(EdgePath::Beside(start, beside, end));
            continue;
        }
        let mut points = vec![(from.0, from.1 + HEIGHT / 2.0)];
        for (below, x) in at.lanes[index].iter().enumerate() {
            // Straight down past the nodes of the layer.
            let middle = y(layer[edge.0] + below + 1);
            points.extend([(*x, middle - HEIGHT / 2.0), (*x, middle + HEIGHT / 2.0)]);
        }
        points.push((to.0, to.1 - HEIGHT / 2.0));
        ways.push(EdgePath::Down(points));
    }
    let bottom = nodes.iter().fold(0.0, |bottom: f64, node| bottom.max(node.1));
    let width = beside.max(right) + MARGIN;
    Layout { width, height: bottom + HEIGHT / 2.0 + MARGIN, nodes, ways }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(layout: &Layout) -> bool {
        let nodes = &layout.nodes;
        nodes.iter().enumerate().any(|(index, a)| {
            let later = nodes.iter().skip(index + 1);
            later.into_iter().any(|b| (a.0 - b.0).abs() < WIDTH && (a.1 - b.1).abs() < HEIGHT)
        })
    }

    #[test]
    fn a_chain_goes_straight_down() {
        let layout = lay_out(3, &[(0, 1), (1, 2)]);
        assert_eq!(layout.nodes[0].0, layout.nodes[2].0);
        assert!(layout.nodes[0].1 < layout.nodes[1].1 && layout.nodes[1].1 < layout.nodes[2].1);
        assert!(matches!(&layout.ways[0], EdgePath::Down(points) if points.len() == 2));
    }

    #[test]
    fn branches_stand_side_by_side_and_meet_again() {
        let layout = lay_out(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(layout.nodes[1].1, layout.nodes[2].1);
        assert!(layout.nodes[1].0 < layout.nodes[2].0);
        assert!(!overlap(&layout));
    }

    #[test]
    fn a_long_edge_has_a_lane_that_no_node_stands_in() {
        let layout = lay_out(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        let EdgePath::Down(points) = &layout.ways[3] else { panic!("{:?}", layout.ways[3]) };
        assert_eq!(points.len(), 6);
        for (x, y) in &points[1..5] {
            let hit = layout
                .nodes
                .iter()
                .any(|(a, b)| (a - x).abs() < WIDTH / 2.0 && (b - y).abs() <= HEIGHT / 2.0);
            assert!(!hit, "{x} {y}");
        }
    }

    #[test]
    fn edges_that_go_back_run_beside_the_graph() {
        let layout = lay_out(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]);
        for way in &layout.ways[2..] {
            assert!(matches!(way, EdgePath::Beside(from, x, _) if *x > from.0), "{way:?}");
        }
        assert!(layout.width > layout.nodes[0].0 + WIDTH / 2.0 + LANE);
    }

    #[test]
    fn nothing_is_an_empty_page_and_unlinked_nodes_stand_below_each_other() {
        let nothing = lay_out(0, &[]);
        assert!(nothing.nodes.is_empty() && nothing.height > 0.0);
        let loose = lay_out(3, &[]);
        assert!(!overlap(&loose) && loose.nodes[0].1 < loose.nodes[2].1);
    }

    #[test]
    fn many_nodes_never_overlap() {
        let edges: Vec<(usize, usize)> = (1..200)
            .flat_map(|node| [(node / 3, node), ((node * 7) % node.max(1), node)])
            .collect();
        let layout = lay_out(200, &edges);
        assert!(!overlap(&layout));
        assert!(layout.nodes.iter().all(|(x, y)| *x > 0.0 && *y > 0.0 && *x < layout.width));
    }
}
