module kairship.io/test/real/clusterpedia-api

go 1.26.0

require github.com/clusterpedia-io/api v0.8.0 // indirect
