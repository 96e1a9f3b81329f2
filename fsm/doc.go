package fsm

// GeneratedCodeOfShape1_RunGoGenerate is what generated packages ask for, so that code which was made for other shapes of
// this package's types fails to compile under a name that says what to do. The number grows with each such change.
const GeneratedCodeOfShape1_RunGoGenerate = true
