// Cast: the characters, all of them invented.

extension Smokehouse {
    /// All characters, in the order of the list.
    static let all = [
        Character(
            "Mesquite Mae", "pitmaster", of: "the north pit", "Low heat, long patience.",
            "brisket", "burnt ends",
            story: "Lights the first fire at four and does not speak before the smoke is blue."),
        Character(
            "Hickory Hank", "fire keeper", of: "the wood shed", "Every log has its hour.",
            "pulled pork",
            story: "Stacks wood by age and smell, and can tell both in the dark."),
        Character(
            "Applewood Ann", "sausage maker", of: "the cold room", "Coarse grind, fine company.",
            "smoked sausage", "hot links",
            story: "Keeps nine recipes in her head and a tenth one under lock."),
        Character(
            "Cornbread Cal", "baker", of: "the skillet corner", "Butter first, questions later.",
            "skillet cornbread",
            story: "Owns eleven skillets, none of which has ever seen soap."),
        Character(
            "Pepper Pru", "rub mixer", of: "the spice loft", "If you sneeze, it is ready.",
            "ribs", "dry rub",
            story: "Measures by the handful, and her hands have never been wrong."),
        Character(
            "Drip Pan Dan", "apprentice", of: "under the grate", "I was about to clean that.",
            "gravy",
            story: "Started on a Monday and has been about to finish ever since."),
        Character(
            "Slaw Sue", "side cook", of: "the long table", "Crunch is a promise.",
            "slaw", "pickles",
            story: "Shreds forty heads a day and has a name for the knife."),
        Character(
            "Bark Bartley", "carver", of: "the block", "Against the grain, always.",
            "brisket, sliced",
            story: "Listens to the crust before the first cut, and nods when it answers."),
        Character(
            "Ember Esme", "night watch", of: "the coal bed", "The best hours have no sun.",
            "beans",
            story: "Turns the vents by a quarter at two, and by another at three."),
        Character(
            "Tally Tom", "cashier", of: "the front door", "Cents add up.",
            "receipts",
            story: "Counts the till twice, and the guests once more."),
        Character(
            "Smokestack Stella", "chimney sweep", of: "the roof", "Draw is everything.",
            "clear smoke",
            story: "Comes down in spring with a sack of soot and a list of complaints."),
        Character(
            "Vinegar Vic", "sauce cook", of: "the copper kettle", "Sour makes it honest.",
            "mop sauce", "hot vinegar",
            story: "Lost his sense of smell for a week, and nobody noticed any difference."),
        Character(
            "Molasses Mo", "dessert cook", of: "the slow oven", "No hurry.",
            "banana pudding", "pecan pie",
            story: "Has been on the way to the counter since noon."),
        Character(
            "Cast Iron Cora", "blacksmith", of: "the forge", "It will outlive you.",
            "grates",
            story: "Made every grate in the house, and signs them where only ash will read it."),
        Character(
            "Ribs Rinaldo", "regular", of: "table four", "The usual, and then the other half.",
            "St. Louis ribs",
            story: "Has sat on the same chair so long that it leans when he is away."),
        Character(
            "Thermal Theo", "thermometer reader", of: "the probe drawer", "One more degree.",
            "exact pork",
            story: "Trusts no hand, no ear and no nose, and is right every time."),
        Character(
            "Brine Beatrix", "brine keeper", of: "the crocks", "Salt is time in a hurry.",
            "turkey breast", "corned brisket",
            story: "Writes dates on crocks in a hand that only she can read."),
        Character(
            "Whistling Wes", "delivery driver", of: "the back lane", "Still warm.",
            "trays",
            story: "Knows every bump of the road, and what each does to a pie."),
        Character(
            "Grandma Gristle", "founder", of: "the portrait over the bar",
            "I started with a ditch.",
            "everything",
            story: "Dug the first pit herself, and will show anybody where."),
        Character(
            "Ash Ashworth", "poet", of: "the last table", "What is left is also a dish.",
            "burnt toast",
            story: "Pays in verses. The house has stopped accepting them, mostly."),
    ]
}
