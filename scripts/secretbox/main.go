// Makes test/support/secretbox.jsonl, one line a vector: boxes of golang.org/x/crypto/nacl/secretbox (v0.53.0) for
// fixed inputs. Run it in a module that requires golang.org/x/crypto: go run . > test/support/secretbox.jsonl
package main

import (
	"encoding/hex"
	"encoding/json"
	"os"

	"golang.org/x/crypto/nacl/secretbox"
)

type vector struct {
	Length int    `json:"length"`
	Seed   int    `json:"seed"`
	Box    string `json:"box"`
}

// fill: byte i is (seed*31 + i*7 + i/256) mod 256; the seed 255 fills with 0xff.
func fill(b []byte, seed int) {
	for i := range b {
		b[i] = byte(seed*31 + i*7 + i/256)
		if seed == 255 {
			b[i] = 0xff
		}
	}
}

func main() {
	var all []vector
	for _, seed := range []int{0, 1, 2, 77, 255} {
		for _, length := range []int{0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1000} {
			var key [32]byte
			var nonce [24]byte
			message := make([]byte, length)
			fill(key[:], seed)
			fill(nonce[:], seed)
			fill(message, seed)
			all = append(all, vector{length, seed, hex.EncodeToString(secretbox.Seal(nil, message, &nonce, &key))})
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	for _, each := range all {
		encoder.Encode(each)
	}
}
