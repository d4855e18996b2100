//! Texts that tokenizers are tried on.

/// The same sentence in several scripts, a family of emoji with joiners, and source code.
pub const SCRIPTS: [&str; 10] = [
    "All human beings are born free and equal in dignity and rights. They're endowed with reason; it's said.\n",
    "Все люди рождаются свободными и равными в своем достоинстве и правах.\n",
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。\n",
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.\n",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।\n",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n",
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。\n",
    "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.\n",
    "👨\u{200d}👩\u{200d}👧 👩🏽\u{200d}🚀 🇩🇪🇫🇷 ❤\u{fe0f}\u{200d}🔥!\n",
    "fn main() {\n    let x: u32 = 0xFF_u32;\r\n\tprintln!(\"{}\", x >> 2); // don't\n\n\n}\n",
];

/// All of them, three times.
pub fn corpus() -> String {
    SCRIPTS.concat().repeat(3)
}

/// Strings of characters from classes that patterns tell apart.
pub fn random_strings(count: usize) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let classes: [&str; 9] = [
        "abcxyzABCXYZstmdlrve",
        "'sS'tT'rRe'vE'mM'lL'dDſ’",
        "  \t\n\n\r\u{a0}\u{2003}\u{85}\u{2028}\u{3000}",
        "0123456789²½Ⅷ٣७",
        ".,;:!?-_()[]{}/\\\"@#$%^&*+=<>|~`",
        "äéßñçøžǅʰªΑαБб",
        "人ア한אعकํ์\u{301}\u{93e}",
        "👨\u{200d}👩🏽🇩❤\u{fe0f}",
        "\u{0}\u{1}\u{1f}\u{7f}\u{ad}\u{feff}\u{fffd}\u{10ffff}",
    ];
    let classes = classes.map(|class| class.chars().collect::<Vec<char>>());
    (0..count)
        .map(|_| {
            let length = draw(40);
            let mut class = draw(classes.len());
            (0..length)
                .map(|_| {
                    // Neighbours are often of one class, as in text.
                    if draw(3) == 0 {
                        class = draw(classes.len() + 1);
                    }
                    match classes.get(class) {
                        Some(of_class) => of_class[draw(of_class.len())],
                        None => char::from_u32(draw(0x11_0000) as u32).unwrap_or('?'),
                    }
                })
                .collect()
        })
        .collect()
}
