"""Makes the example survey: two waves of a tracker about the city buses of Eastmere, an invented town.

    python3 make.py

It writes wave1.csv and wave2.csv with their codebooks beside this file, the same bytes each time, and
../survey-sav/wave2.sav where pyreadstat and pandas are installed. Chance comes from a fixed seed through
`random()` and sums alone, so that no version of Python and no processor changes a digit.

What is planted, so that an analysis can be held against it, stands in README.md.
"""

import csv
import random
from pathlib import Path

HERE = Path(__file__).resolve().parent
WAVES = [("W1", 600, 20250401), ("W2", 650, 20260401)]

GENDER = {1: "Female", 2: "Male", 3: "Another description"}
AGE = {1: "18-34", 2: "35-54", 3: "55 and over"}
REGION = {1: "Centre", 2: "North", 3: "South", 4: "Harbour islands"}
RIDES = {1: "Daily", 2: "Several times a week", 3: "About once a week", 4: "Less often", 98: "Don't know"}
TICKET = {1: "From the driver", 2: "At a machine", 3: "In the app", 4: "On the website", 5: "Season pass by post"}
REASONS = ["Way to work", "School or studies", "Shopping", "Leisure and friends", "No car", "Better for the environment"]
SATISFACTION = {
    1: "Very dissatisfied",
    2: "Rather dissatisfied",
    3: "Neither satisfied nor dissatisfied",
    4: "Rather satisfied",
    5: "Very satisfied",
    98: "Don't know",
    99: "Prefer not to say",
}
ASPECTS = ["Punctuality", "Cleanliness", "Price of tickets", "Drivers", "Information at stops and online"]
RECOMMEND = {0: "0 Not at all likely", **{n: str(n) for n in range(1, 10)}, 10: "10 Extremely likely", 99: "Prefer not to say"}
AWARE = {1: "Yes", 2: "No", 98: "Don't know"}
SPEND_MISSING = {9998: "Don't know", 9999: "Prefer not to say"}
WISHES = [
    "More buses in the evening",
    "They should come when the timetable says",
    "Lower prices for young people",
    "The app should show delays",
    "More seats at the stops",
    "Nothing, keep it up",
    "Cleaner windows",
    "A direct line to the hospital",
    "Card payment on the bus",
    "Friendlier announcements",
]

# Who lives in Eastmere, and who answers: older people answer more often, which the weight puts right.
POPULATION = {("F", 1): 0.155, ("F", 2): 0.175, ("F", 3): 0.180, ("M", 1): 0.155, ("M", 2): 0.175, ("M", 3): 0.160}
SAMPLED_AGES = [0.24, 0.34, 0.42]


class Chance:
    """Numbers from a fixed seed."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def happens(self, probability):
        return self.source.random() < probability

    def one_of(self, shares):
        """Returns a number from 1, the first with the first share."""
        left = self.source.random() * sum(shares)
        for number, share in enumerate(shares, start=1):
            left -= share
            if left < 0:
                return number
        return len(shares)

    def normal(self):
        """Returns what is nearly normal: twelve even numbers less six."""
        return sum(self.source.random() for _ in range(12)) - 6


def five_points(feeling):
    for point, edge in enumerate([-1.5, -0.75, 0.0, 1.0], start=1):
        if feeling < edge:
            return point
    return 5


def respondent(chance, wave, number):
    second = wave == "W2"
    gender = chance.one_of([0.51, 0.47, 0.02])
    age = chance.one_of(SAMPLED_AGES)
    region = chance.one_of([0.36, 0.29, 0.25, 0.10])
    young = age == 1
    one = {"id": f"{wave}-{number:04d}", "gender": gender, "age_group": age, "region": region}

    one["Q1"] = chance.one_of([0.30, 0.34, 0.20, 0.16] if region != 4 else [0.10, 0.25, 0.30, 0.35])
    if chance.happens(0.01):
        one["Q1"] = 98

    shares = {
        1: [0.14, 0.36, 0.38, 0.12],
        2: [0.26, 0.24, 0.26, 0.10],
        3: [0.38, 0.28, 0.08, 0.08],
    }[age] + [0.0 if young else 0.16]
    if second:
        # The app gained riders from the machines.
        shares = [shares[0], shares[1] - 0.08, shares[2] + 0.10, shares[3] + 0.01, shares[4]]
    one["Q3"] = chance.one_of([max(share, 0.02) for share in shares])
    online = one["Q3"] in (3, 4)

    stopped = chance.happens(0.015)
    wanted = [0.46, 0.38 if young else 0.05, 0.42, 0.35, 0.33, 0.44 if young else 0.24]
    if age == 3:
        wanted[0] = 0.16
    for place, probability in enumerate(wanted, start=1):
        one[f"Q2_{place}"] = "" if stopped else int(chance.happens(probability))

    feeling = 0.32 + chance.normal()
    if second:
        feeling -= 0.65 if young else 0.06
    tilts = [-0.15, 0.10, -0.45, 0.55, 0.05]
    if region == 4:
        tilts[0] -= 0.9
    if online:
        tilts[4] += 0.55
    if second and young:
        tilts[2] -= 0.35
    for place, tilt in enumerate(tilts, start=1):
        answer = five_points(0.6 * feeling + 0.13 + tilt + 0.8 * chance.normal())
        if chance.happens(0.09 if place == 5 and not online else 0.03):
            answer = 98
        one[f"Q4_{place}"] = answer
    one["Q5"] = five_points(feeling)
    if chance.happens(0.02):
        one["Q5"] = 98
    elif chance.happens(0.008):
        one["Q5"] = 99

    likely = 7.1 + 1.9 * (0.8 * feeling + 0.5 * chance.normal()) + (0.9 if online else 0.0)
    one["Q6"] = max(0, min(10, int(likely + 0.5) if likely > 0 else 0))
    if chance.happens(0.015):
        one["Q6"] = 99
    elif chance.happens(0.01):
        one["Q6"] = ""

    usual = {1: 46.0, 2: 34.0, 3: 19.0, 4: 9.0, 98: 20.0}[one["Q1"]]
    spent = usual * (1.0 + 0.28 * chance.normal()) + (4.0 if one["Q3"] == 5 else 0.0)
    one["Q7"] = max(1.0, int(spent * 2 + 0.5) / 2)
    if chance.happens(0.06):
        one["Q7"] = 9998
    elif chance.happens(0.04):
        one["Q7"] = 9999

    wish = WISHES[chance.one_of([2 if young else 1, 3, 3 if young else 1, 2 if online else 1, 1, 1, 1, 1, 1, 1]) - 1]
    one["Q8"] = wish if chance.happens(0.44) else ""
    if second:
        one["Q9"] = chance.one_of([0.58, 0.42] if young else [0.31, 0.69])
        if chance.happens(0.02):
            one["Q9"] = 98
    return one


def weigh(people, chance):
    """Puts gender by age right, with a little unevenness of other causes, to a mean of 1."""
    cells = [("F" if one["gender"] == 1 else "M" if one["gender"] == 2 else "", one["age_group"]) for one in people]
    raw = []
    for cell in cells:
        fits = POPULATION[cell] / (cells.count(cell) / len(cells)) if cell in POPULATION else 1.0
        raw.append(fits * (0.8 + 0.4 * chance.source.random()))
    mean = sum(raw) / len(raw)
    for one, weight in zip(people, raw):
        one["weight"] = f"{weight / mean:.4f}"


def coded(values):
    return "|".join(f"{value}={label}" for value, label in values.items())


def codebook(wave):
    """Returns the lines of a codebook; what is left out is empty."""
    scale = {"type": "scale", "values": coded(SATISFACTION), "missing": "98|99"}
    lines = [
        {"variable": "id", "label": "Respondent", "role": "id"},
        {"variable": "weight", "label": "Weight: gender by age", "type": "numeric", "role": "weight"},
        {"variable": "gender", "label": "Gender", "type": "single", "values": coded(GENDER), "role": "segment"},
        {"variable": "age_group", "label": "Age", "type": "single", "values": coded(AGE), "role": "segment"},
        {"variable": "region", "label": "Part of town", "type": "single", "values": coded(REGION), "role": "segment"},
        {"variable": "Q1", "label": "How often do you take a city bus?", "type": "single", "values": coded(RIDES), "missing": "98"},
    ]
    for place, reason in enumerate(REASONS, start=1):
        lines.append({"variable": f"Q2_{place}", "label": reason, "type": "multi", "values": "1=Yes|0=No", "set": "Q2: Why do you take the bus?"})
    lines.append({"variable": "Q3", "label": "How do you usually buy your ticket?", "type": "single", "values": coded(TICKET), "role": "segment"})
    for place, aspect in enumerate(ASPECTS, start=1):
        lines.append({"variable": f"Q4_{place}", "label": aspect, **scale, "grid": "Q4: How satisfied are you with the buses' …"})
    lines += [
        {"variable": "Q5", "label": "All in all, how satisfied are you with the city buses?", **scale},
        {"variable": "Q6", "label": "How likely are you to recommend the city buses to a friend?", "type": "scale", "values": coded(RECOMMEND), "missing": "99"},
        {"variable": "Q7", "label": "How much do you spend on bus tickets in a month, in euros?", "type": "numeric", "values": coded(SPEND_MISSING), "missing": "9998|9999"},
        {"variable": "Q8", "label": "What should be improved first?", "type": "open"},
    ]
    if wave == "W2":
        lines.append({"variable": "Q9", "label": "Have you heard of the new night line N7?", "type": "single", "values": coded(AWARE), "missing": "98"})
    return lines


def write(path, names, lines):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def sav(people, lines, path):
    """Writes a wave as SPSS would have it."""
    try:
        import pandas
        import pyreadstat
    except ImportError:
        print("wave2.sav is left as it is: it needs pyreadstat and pandas")
        return
    names = [line["variable"] for line in lines]
    table = pandas.DataFrame([{name: one[name] for name in names} for one in people])
    texts = {"id", "Q8"}
    for name in names:
        if name not in texts:
            table[name] = pandas.to_numeric(table[name]).astype(float)
    labels, missing, measures = {}, {}, {}
    for line in lines:
        name = line["variable"]
        pairs = [pair.split("=", 1) for pair in line.get("values", "").split("|") if pair]
        if pairs:
            labels[name] = {float(value): label for value, label in pairs}
        if line.get("missing"):
            missing[name] = [float(value) for value in line["missing"].split("|")]
        kind = line.get("type")
        measures[name] = {"scale": "ordinal", "numeric": "scale"}.get(kind, "nominal")
    path.parent.mkdir(exist_ok=True)
    pyreadstat.write_sav(
        table,
        str(path),
        file_label="Eastmere bus tracker, wave 2",
        column_labels={line["variable"]: line["label"] for line in lines},
        variable_value_labels=labels,
        missing_ranges=missing,
        variable_measure=measures,
    )
    # The day and the hour of writing, so that the same data are the same bytes.
    content = bytearray(path.read_bytes())
    content[92:109] = b"01 Apr 2612:00:00"
    path.write_bytes(bytes(content))


def main():
    for wave, number, seed in WAVES:
        chance = Chance(seed)
        people = [respondent(chance, wave, place) for place in range(1, number + 1)]
        weigh(people, chance)
        lines = codebook(wave)
        name = f"wave{wave[1]}"
        write(HERE / f"{name}.csv", [line["variable"] for line in lines], people)
        columns = ["variable", "label", "type", "values", "missing", "top", "role", "set", "grid"]
        write(HERE / f"{name}.codebook.csv", columns, lines)
        if wave == "W2":
            sav(people, lines, HERE.parent / "survey-sav" / "wave2.sav")


if __name__ == "__main__":
    main()
