package main

import (
	"fmt"
	"strings"
)

// Says `ok` or `failed` of one check.
func check(name string, call func() error) {
	if err := call(); err != nil {
		fmt.Printf("failed %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Println("ok", name)
}
