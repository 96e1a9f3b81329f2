package spec

//go:generate go run ../tools/catalogue -o catalogue/kafka.yaml
