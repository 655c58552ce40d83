"""Learns how statements are ranked as answers, and how sure an answer is, from questions whose answers are known.

Reads what `quaestio-bench answers --dump FILE` wrote and writes `crates/extract/src/ranker.json`; the same dump gives the same
file. What it prints is measured by cross-validation: every question by trees that were learned without it.
"""

import argparse
import json

import lightgbm
import numpy

FOLDS = 5
SHOWN = 3
# The same as in `ranked.rs`: a statement that much below the best one is not shown beside it.
BESIDE_THE_BEST = 2.5
ORDER = {
    "objective": "lambdarank",
    "learning_rate": 0.1,
    "num_leaves": 15,
    "min_data_in_leaf": 40,
    "lambda_l2": 5,
    "feature_fraction": 0.6,
    "lambdarank_truncation_level": 10,
}
ORDER_TREES = 80
SURE = {
    "objective": "binary",
    "learning_rate": 0.03,
    "num_leaves": 4,
    "min_data_in_leaf": 30,
    "lambda_l2": 10,
    "feature_fraction": 0.5,
}
SURE_TREES = 200
ALWAYS = {"verbose": -1, "seed": 1, "deterministic": True, "force_row_wise": True, "num_threads": 1}
# Questions that were put to documents about something else are easily told from others, and there are many.
FOREIGN_WEIGHT = 0.4


class Question:
    """A question and its statements: signs, whether each is right, whether what would be quoted of it is."""

    def __init__(self, line):
        statements = line["statements"]
        self.set = line["set"]
        self.foreign = self.set.startswith("foreign")
        self.answerable = line["answerable"] and not self.foreign
        self.signs = numpy.array([one["signs"] for one in statements], dtype=float)
        self.right = numpy.array([one["right"] for one in statements], dtype=bool)
        self.holds = numpy.array([one["holds"] for one in statements], dtype=bool)
        self.places = [(one["passage"], one["quote"]["start"], one["quote"]["end"]) for one in statements]

    def shown(self, scores):
        """The statements that would be shown, best first."""
        found = []
        for index in numpy.argsort(-scores, kind="stable"):
            passage, start, end = self.places[index]
            places = [self.places[other] for other in found]
            overlaps = any(passage == p and start < e and s < end for p, s, e in places)
            if overlaps or (found and scores[found[0]] - scores[index] > BESIDE_THE_BEST):
                continue
            found.append(index)
            if len(found) == SHOWN:
                break
        return found

    def told_by(self, scores, together):
        """What tells how sure an answer is, in the order of `SURE` in `ranked.rs`, then the signs of the best statement."""
        order = numpy.argsort(-scores, kind="stable")
        top = scores[order[0]]
        odds = numpy.exp(scores - top)
        shown = self.shown(scores)
        below = [top - scores[order[rank]] if len(order) > rank else 5.0 for rank in (1, 4)]
        beside = [top, *below, 1 / odds.sum(), odds[shown].sum() / odds.sum(), numpy.log(1 + len(scores))]
        return numpy.concatenate([beside, [self.signs[:, together].max()], self.signs[order[0]]])


def learn_order(questions):
    lists = [one for one in questions if one.answerable and one.right.any()]
    data = lightgbm.Dataset(
        numpy.vstack([one.signs for one in lists]),
        numpy.concatenate([one.right for one in lists]).astype(int),
        group=[len(one.right) for one in lists],
    )
    return lightgbm.train({**ORDER, **ALWAYS}, data, ORDER_TREES)


def learn_sure(rows, right, weights):
    return lightgbm.train({**SURE, **ALWAYS}, lightgbm.Dataset(rows, right, weight=weights), SURE_TREES)


def forest(booster, names):
    """A booster as `forest.rs` reads it: children behind their parents."""

    def written(tree):
        nodes = []

        def add(node):
            index = len(nodes)
            nodes.append(None)
            if "leaf_value" in node:
                nodes[index] = float(f"{node['leaf_value']:.5g}")
            else:
                low, high = add(node["left_child"]), add(node["right_child"])
                nodes[index] = [node["split_feature"], float(f"{node['threshold']:.7g}"), low, high]
            return index

        add(tree["tree_structure"])
        return nodes

    return {"names": names, "base": 0.0, "trees": [written(tree) for tree in booster.dump_model()["tree_info"]]}


def tell(questions, scores, sure):
    """Prints what would come of the questions for several limits of sureness."""
    asked = [one.answerable for one in questions]
    right = numpy.array([one.holds[one.shown(score)].any() if len(score) else False for one, score in zip(questions, scores)])
    first = [one.holds[one.shown(score)[:1]].any() if len(score) else False for one, score in zip(questions, scores)]
    asked, first = numpy.array(asked), numpy.array(first)
    unanswered = numpy.array([not one.answerable and not one.foreign for one in questions])
    foreign = numpy.array([one.foreign for one in questions])
    found = numpy.array([one.right.any() for one in questions])
    print(f"{asked.sum()} answerable: {found[asked].mean():.1%} found, {first[asked].mean():.1%} first, {right[asked].mean():.1%} among three")
    print("from   right   wrong   refused of unanswerable, of foreign")
    for limit in (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        said = sure >= limit
        print(
            f"{limit:.2f}  {(right & said)[asked].mean():6.1%}  {(~right & said)[asked].mean():6.1%}"
            f"  {(~said)[unanswered].mean():6.1%}  {(~said)[foreign].mean():6.1%}"
        )


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("dump")
    arguments.add_argument("--write", metavar="FILE", help="where the trees go that were learned from all questions")
    given = arguments.parse_args()
    with open(given.dump, encoding="utf-8") as lines:
        head = json.loads(next(lines))
        questions = [Question(json.loads(line)) for line in lines]
    names, together = head["signs"], head["signs"].index("said_in_passage")
    folds = numpy.random.RandomState(7).randint(0, FOLDS, len(questions))

    scores = [numpy.zeros(0)] * len(questions)
    for fold in range(FOLDS):
        order = learn_order([one for one, of in zip(questions, folds) if of != fold])
        for index in numpy.flatnonzero(folds == fold):
            if len(questions[index].signs):
                scores[index] = order.predict(questions[index].signs, num_threads=1)
    width = len(head["sure"]) + len(names)
    rows = [one.told_by(score, together) if len(score) else numpy.zeros(width) for one, score in zip(questions, scores)]
    rows = numpy.array(rows)
    right = numpy.array([one.answerable and len(score) and one.holds[one.shown(score)].any() for one, score in zip(questions, scores)])
    weights = numpy.array([FOREIGN_WEIGHT if one.foreign else 1.0 for one in questions])
    sure = numpy.zeros(len(questions))
    for fold in range(FOLDS):
        known = folds != fold
        learned = learn_sure(rows[known], right[known].astype(int), weights[known])
        sure[~known] = learned.predict(rows[~known], num_threads=1)
    tell(questions, scores, sure)
    for name in sorted({one.set.split("=")[0] for one in questions if one.answerable}):
        chosen = [index for index, one in enumerate(questions) if one.answerable and one.set.startswith(name + "=")]
        among = [questions[index].holds[questions[index].shown(scores[index])].any() for index in chosen if len(scores[index])]
        print(f"  {name}: {len(chosen)}, {sum(among) / len(chosen):.0%} among three")

    if given.write:
        learned = {
            "order": forest(learn_order(questions), names),
            "sure": forest(learn_sure(rows, right.astype(int), weights), head["sure"] + names),
        }
        with open(given.write, "w", encoding="utf-8") as file:
            json.dump(learned, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
