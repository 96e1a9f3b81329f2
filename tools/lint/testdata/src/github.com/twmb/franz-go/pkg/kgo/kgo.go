package kgo

type Client struct{}
