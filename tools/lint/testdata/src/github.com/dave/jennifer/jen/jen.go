package jen
