use super::*;
use crate::study::Kind;

fn file(name: &str, bytes: &[u8]) -> File {
    File { name: name.to_owned(), bytes: bytes.to_vec() }
}

// proves: B9
#[test]
fn a_csv_with_a_codebook_is_a_study() {
    let data = "id,gender,q5,q8_1,q8_2,w\n1,1,5,1,0,1.5\n2,2,98,0,0,0\n3,1,1,1,1,-2\n";
    let codebook = "variable,label,type,values,missing,top,role,set,grid\n\
        id,,,,,,id,,\ngender,Gender,single,1=Male|2=Female,,,segment,,\n\
        q5,Satisfied?,scale,1=Very satisfied|2=Satisfied|3=Neither|4=Dissatisfied|5=Very dissatisfied,98,,,,\n\
        q8_1,Brand A,multi,,,,,Q8: Brands known,\nq8_2,Brand B,multi,,,,,Q8,\nw,,,,,,weight,,\n";
    let files = [file("a/w1.csv", data.as_bytes()), file("a/w1.codebook.csv", codebook.as_bytes())];
    let study = project(&files).unwrap().studies.remove(0);
    assert_eq!((study.id.as_str(), study.respondents), ("w1", 3));
    let ids: Vec<(&str, Kind)> =
        study.questions.iter().map(|one| (one.id.as_str(), one.kind)).collect();
    assert_eq!(ids, [("gender", Kind::Single), ("q5", Kind::Scale), ("Q8", Kind::Multi)]);
    assert_eq!(study.questions[1].top, crate::study::Top::Lowest);
    assert_eq!(study.weight, Some(5));
    assert_eq!(study.segments, [0]);
    insta::assert_debug_snapshot!(study.notes);
}
