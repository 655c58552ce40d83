//! Claims that retell their quote nearly word for word, and short ones: some with one word exchanged, some honest.

use crate::passages::Passage;

use crate::Case;

const ULCER: Passage<'static> = Passage {
    section: "Vagotomy and Parkinson's disease",
    text: "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53). \
        Superselective vagotomy was not associated with risk. The association was independent of age, coffee and smoking. \
        Escherichia coli was found in the gut of patients. The vagus nerve has been suspected as a cause of the spread. \
        Constipation appeared before tremor in most patients.",
};

const MICE: Passage<'static> = Passage {
    section: "Fasting and memory > Results",
    text: "Intermittent fasting improved memory in mice fed a high-fat diet. Memory decreased after the diet ended. The leak of the \
        barrier is a cause or consequence of inflammation. Inflammation of the gut causes depression in rats. \
        These results suggest that butyrate leads to repair of the barrier. The mice were treated with butyrate for 6 weeks. \
        Weight was explained by the diet. Anxiety was reduced by exercise.",
};

const RIVER: Passage<'static> = Passage {
    section: "River Wensum > Trout",
    text: "Trout returned to the river before the weir was removed in 1998. Water voles declined despite the ban on trapping. \
        The new weir raised the water level upstream and lowered it downstream. Floods carried gravel from the upper reach to the \
        lower reach. Anglers and wardens counted trout with nets. Either drought or silt killed the eggs. \
        The mill was built by monks in the twelfth century. Otters eat eels and crayfish. The charity bought the mill from the council.",
};

const QUESTION: Passage<'static> = Passage {
    section: "Does green tea prevent stroke?",
    text: "Green tea drinkers had fewer strokes than other adults. Tea was not linked to deaths from cancer.",
};

/// Each must be refused.
pub(crate) const EXCHANGED: &[Case] = &[
    (
        "roles swapped",
        "Tremor appeared before constipation in most patients.",
        ULCER,
        "Constipation appeared before tremor in most patients.",
    ),
    (
        "word added",
        "Intermittent fasting permanently improved memory in mice.",
        MICE,
        "Intermittent fasting improved memory in mice fed a high-fat diet.",
    ),
    (
        "word added",
        "Intermittent fasting significantly improved memory in mice.",
        MICE,
        "Intermittent fasting improved memory in mice fed a high-fat diet.",
    ),
    (
        "word added",
        "Intermittent fasting improved memory and eyesight.",
        MICE,
        "Intermittent fasting improved memory",
    ),
    ("word added", "Otters eat lambs, eels and crayfish.", RIVER, "Otters eat eels and crayfish."),
    (
        "risk left out",
        "Truncal vagotomy was associated with Parkinson's disease.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years",
    ),
    (
        "rival",
        "Truncal vagotomy was not associated with risk.",
        ULCER,
        "Superselective vagotomy was not associated with risk.",
    ),
    (
        "exchanged direction",
        "Truncal vagotomy was associated with a higher risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
    ),
    (
        "exchanged direction",
        "Truncal vagotomy was associated with a higher risk of Parkinson's disease.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
    ),
    (
        "exchanged direction",
        "Memory increased after the diet ended.",
        MICE,
        "Memory decreased after the diet ended.",
    ),
    (
        "exchanged direction",
        "The new weir lowered the water level upstream and raised it downstream.",
        RIVER,
        "The new weir raised the water level upstream and lowered it downstream.",
    ),
    (
        "exchanged order",
        "Trout returned to the river after the weir was removed in 1998.",
        RIVER,
        "Trout returned to the river before the weir was removed in 1998.",
    ),
    (
        "exchanged order",
        "Constipation appeared after tremor in most patients.",
        ULCER,
        "Constipation appeared before tremor in most patients.",
    ),
    (
        "exchanged function word",
        "Truncal vagotomy was associated despite a lower risk of Parkinson's disease.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years",
    ),
    (
        "exchanged function word",
        "Water voles declined with the ban on trapping.",
        RIVER,
        "Water voles declined despite the ban on trapping.",
    ),
    (
        "exchanged function word",
        "Anglers and wardens counted trout without nets.",
        RIVER,
        "Anglers and wardens counted trout with nets.",
    ),
    (
        "exchanged word",
        "Truncal vagotomy was associated with a lower risk of stomach cancer.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years",
    ),
    (
        "exchanged word",
        "Intermittent fasting improved eyesight in mice fed a high-fat diet.",
        MICE,
        "Intermittent fasting improved memory in mice fed a high-fat diet.",
    ),
    (
        "exchanged word",
        "Anglers and wardens poisoned trout with nets.",
        RIVER,
        "Anglers and wardens counted trout with nets.",
    ),
    (
        "exchanged word",
        "The mill was burnt by monks in the twelfth century.",
        RIVER,
        "The mill was built by monks in the twelfth century.",
    ),
    ("exchanged word", "Otters eat eels and ducklings.", RIVER, "Otters eat eels and crayfish."),
    (
        "animals to people",
        "Intermittent fasting improved memory in humans.",
        MICE,
        "Intermittent fasting improved memory in mice fed a high-fat diet.",
    ),
    (
        "animals to people",
        "Intermittent fasting improved memory in humans.",
        MICE,
        "Intermittent fasting improved memory",
    ),
    (
        "animals to people",
        "The patients were treated with butyrate for 6 weeks.",
        MICE,
        "The mice were treated with butyrate for 6 weeks.",
    ),
    (
        "animals to people",
        "Inflammation of the gut causes depression in women.",
        MICE,
        "Inflammation of the gut causes depression in rats.",
    ),
    (
        "roles swapped",
        "Depression causes inflammation of the gut in rats.",
        MICE,
        "Inflammation of the gut causes depression in rats.",
    ),
    (
        "roles swapped",
        "Inflammation of the gut is caused by depression in rats.",
        MICE,
        "Inflammation of the gut causes depression in rats.",
    ),
    ("roles swapped", "Exercise was reduced by anxiety.", MICE, "Anxiety was reduced by exercise."),
    (
        "roles swapped",
        "Parkinson's disease was associated with a lower risk of truncal vagotomy.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years",
    ),
    ("roles swapped", "Eels and crayfish eat otters.", RIVER, "Otters eat eels and crayfish."),
    (
        "roles swapped",
        "The council bought the mill from the charity.",
        RIVER,
        "The charity bought the mill from the council.",
    ),
    (
        "explained away",
        "The excess risk was explained by age, coffee and smoking.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    (
        "explained away",
        "The association was explained by age, coffee and smoking.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    (
        "explained away",
        "The association was dependent on age, coffee and smoking.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    (
        "explained away",
        "Weight was independent of the diet.",
        MICE,
        "Weight was explained by the diet.",
    ),
    (
        "effect invented",
        "Vagotomy cures smoking.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    (
        "effect invented",
        "Vagotomy cures Parkinson's disease.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years",
    ),
    (
        "effect invented",
        "Vagotomy cures Parkinson's disease.",
        ULCER,
        "Superselective vagotomy was not associated with risk.",
    ),
    (
        "effect invented",
        "Truncal vagotomy prevents Parkinson's disease.",
        ULCER,
        "Superselective vagotomy was not associated with risk.",
    ),
    (
        "effect invented",
        "Patients die of truncal vagotomy.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years",
    ),
    (
        "effect invented",
        "Escherichia coli killed the patients.",
        ULCER,
        "Escherichia coli was found in the gut of patients.",
    ),
    (
        "effect invented",
        "Truncal vagotomy protects patients.",
        ULCER,
        "Escherichia coli was found in the gut of patients.",
    ),
    (
        "effect invented",
        "Smoking proves the association.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    ("effect invented", "Otters destroy crayfish.", RIVER, "Otters eat eels and crayfish."),
    (
        "effect invented",
        "Green tea prevents strokes.",
        QUESTION,
        "Green tea drinkers had fewer strokes than other adults.",
    ),
    (
        "effect invented",
        "The results cause inflammation.",
        MICE,
        "The leak of the barrier is a cause or consequence of inflammation.",
    ),
    (
        "effect invented",
        "Coffee increases age.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    (
        "alternative chosen",
        "The leak is the cause of inflammation.",
        MICE,
        "The leak of the barrier is a cause or consequence of inflammation.",
    ),
    (
        "alternative chosen",
        "The leak of the barrier is a cause.",
        MICE,
        "The leak of the barrier is a cause",
    ),
    (
        "alternative chosen",
        "The leak of the barrier is a cause and consequence of inflammation.",
        MICE,
        "The leak of the barrier is a cause or consequence of inflammation.",
    ),
    (
        "alternative chosen",
        "Silt killed the eggs.",
        RIVER,
        "Either drought or silt killed the eggs.",
    ),
    ("alternative chosen", "Silt killed the eggs.", RIVER, "silt killed the eggs"),
    (
        "hedge dropped",
        "The vagus nerve is a cause of the spread.",
        ULCER,
        "The vagus nerve has been suspected as a cause of the spread.",
    ),
    (
        "hedge dropped",
        "The vagus nerve has been a cause of the spread.",
        ULCER,
        "a cause of the spread.",
    ),
    (
        "hedge dropped",
        "Butyrate leads to repair of the barrier.",
        MICE,
        "These results suggest that butyrate leads to repair of the barrier.",
    ),
    (
        "hedge dropped",
        "Butyrate leads to repair of the barrier.",
        MICE,
        "butyrate leads to repair of the barrier",
    ),
];

/// Each must pass.
pub(crate) const RETOLD: &[Case] = &[
    (
        "retold",
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
    ),
    (
        "retold",
        "Truncal vagotomy was linked to a lower risk of Parkinson's disease.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
    ),
    (
        "retold",
        "The risk of Parkinson's disease was reduced after truncal vagotomy.",
        ULCER,
        "Truncal vagotomy was associated with a lower risk of Parkinson's disease after more than 20 years of follow-up (HR 0.53).",
    ),
    (
        "retold",
        "The association was independent of smoking, coffee and age.",
        ULCER,
        "The association was independent of age, coffee and smoking.",
    ),
    (
        "retold",
        "Before tremor, constipation appeared in most patients.",
        ULCER,
        "Constipation appeared before tremor in most patients.",
    ),
    (
        "retold",
        "The vagus nerve was suspected as a cause of the spread.",
        ULCER,
        "The vagus nerve has been suspected as a cause of the spread.",
    ),
    (
        "retold",
        "Fasting improved memory in mice.",
        MICE,
        "Intermittent fasting improved memory in mice fed a high-fat diet.",
    ),
    (
        "retold",
        "In mice on a high-fat diet, intermittent fasting improved memory.",
        MICE,
        "Intermittent fasting improved memory in mice fed a high-fat diet.",
    ),
    (
        "retold",
        "Depression in rats is caused by inflammation of the gut.",
        MICE,
        "Inflammation of the gut causes depression in rats.",
    ),
    ("retold", "Exercise reduced anxiety.", MICE, "Anxiety was reduced by exercise."),
    (
        "retold",
        "The leak of the barrier is a cause or a consequence of inflammation.",
        MICE,
        "The leak of the barrier is a cause or consequence of inflammation.",
    ),
    (
        "retold",
        "Results suggest that butyrate leads to repair of the barrier.",
        MICE,
        "These results suggest that butyrate leads to repair of the barrier.",
    ),
    (
        "retold",
        "Monks built the mill in the twelfth century.",
        RIVER,
        "The mill was built by monks in the twelfth century.",
    ),
    (
        "retold",
        "Water voles declined, despite the ban on trapping.",
        RIVER,
        "Water voles declined despite the ban on trapping.",
    ),
    (
        "retold",
        "Trout had returned before the weir was removed in 1998.",
        RIVER,
        "Trout returned to the river before the weir was removed in 1998.",
    ),
    (
        "retold",
        "The water level upstream was raised by the new weir.",
        RIVER,
        "The new weir raised the water level upstream and lowered it downstream.",
    ),
    (
        "retold",
        "Wardens and anglers used nets to count trout.",
        RIVER,
        "Anglers and wardens counted trout with nets.",
    ),
    ("short", "Otters eat eels.", RIVER, "Otters eat eels and crayfish."),
    ("short", "Voles declined.", RIVER, "Water voles declined despite the ban on trapping."),
    ("short", "Memory fell.", MICE, "Memory decreased after the diet ended."),
    ("short", "Drought or silt killed eggs.", RIVER, "Either drought or silt killed the eggs."),
    (
        "short",
        "Superselective vagotomy was not associated with risk.",
        ULCER,
        "Superselective vagotomy was not associated with risk.",
    ),
    (
        "short",
        "The charity bought the mill.",
        RIVER,
        "The charity bought the mill from the council.",
    ),
];
