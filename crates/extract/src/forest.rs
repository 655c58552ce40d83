//! Additive regression trees: gradient boosting (Friedman 2001, *Greedy function approximation: a gradient boosting machine*), evaluated
//! here and trained elsewhere.

use serde::{Deserialize, Serialize};

/// Trees over named values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// The names of the values, in index order.
    pub names: Vec<String>,
    pub trees: Vec<Vec<Node>>,
    /// The value that every sum starts from.
    #[serde(default)]
    pub base: f64,
}

/// A node of a tree; the first one is the root.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Node {
    /// The index of a value, the threshold, and the nodes for values up to it and above it. Children come after their parents.
    Split(usize, f64, usize, usize),
    Leaf(f64),
}

impl Forest {
    /// Returns the sum of the trees' outputs for `values`. A missing value counts as 0.
    pub fn sum(&self, values: &[f64]) -> f64 {
        self.base + self.trees.iter().map(|tree| leaf(tree, values)).sum::<f64>()
    }

    /// Returns the index of an invalid node in a tree, if there is one: a bad value index, a child before its parent, or one past the end.
    #[cfg(test)]
    pub(super) fn broken(&self) -> Option<usize> {
        self.trees.iter().find_map(|tree| {
            tree.iter().enumerate().position(|(index, node)| match node {
                Node::Split(value, _, low, high) => {
                    *value >= self.names.len()
                        || [low, high].into_iter().any(|next| *next <= index || *next >= tree.len())
                }
                Node::Leaf(_) => false,
            })
        })
    }
}

fn leaf(tree: &[Node], values: &[f64]) -> f64 {
    let mut at = 0;
    loop {
        match tree.get(at) {
            Some(Node::Split(value, limit, low, high)) => {
                let is_low = values.get(*value).copied().unwrap_or_default() <= *limit;
                let next = if is_low { *low } else { *high };
                // Children come after their parents, so every walk ends.
                if next <= at {
                    return 0.0;
                }
                at = next;
            }
            Some(Node::Leaf(worth)) => return *worth,
            None => return 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C10
    #[test]
    fn a_forest_says_what_its_trees_say_together() {
        let forest: Forest = serde_json::from_str(
            r#"{"names": ["a", "b"], "base": 1.0, "trees": [[[0, 0.5, 1, 2], -1.0, [1, 2.0, 3, 4], 2.0, 4.0], [0.5]]}"#,
        )
        .unwrap();
        assert_eq!(forest.sum(&[0.5, 9.0]), 0.5);
        assert_eq!(forest.sum(&[0.6, 2.0]), 3.5);
        assert_eq!(forest.sum(&[0.6, 2.1]), 5.5);
        assert_eq!(forest.sum(&[]), 0.5);
        assert_eq!(forest.broken(), None);
        let circle = Forest { trees: vec![vec![Node::Split(0, 0.0, 0, 0)]], ..forest };
        assert_eq!((circle.sum(&[1.0]), circle.broken()), (1.0, Some(0)));
    }
}
