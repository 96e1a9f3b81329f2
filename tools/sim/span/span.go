// Package span says how long the life of a group may be that is simulated.
package span

import "time"

// Longest is the longest life. Who leaves a group there does not come back, so that a group dies out: ten groups of ten members
// came to 15 member-hours in 10 minutes, 248 in 5 hours, 432 in 17 hours, and in a whole week to no more than 514. Many short
// lives show more in the same time.
const Longest = 24 * time.Hour
