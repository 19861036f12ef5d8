// OPA as a Go program, for bench/access/opa.ts: with its rules indexed, it is faster than the same rules as WebAssembly.
//
//	wasm RULES FILE     compiles rules to WebAssembly
//	ask RULES INPUTS    answers each of the inputs twice, and says the CPU time of each time
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func used() syscall.Rusage {
	var usage syscall.Rusage
	must(0, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage
}

func cpuMs() float64 {
	usage := used()
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func main() {
	ctx := context.Background()
	module := rego.Module("access.rego", string(must(os.ReadFile(os.Args[2]))))
	if os.Args[1] == "wasm" {
		compiled := must(rego.New(rego.Query("answer = data.access.verdict"), module).Compile(ctx))
		must(0, os.WriteFile(os.Args[3], compiled.Bytes, 0o644))
		return
	}
	var asked []any
	must(0, json.Unmarshal(must(os.ReadFile(os.Args[3])), &asked))
	inputs := make([]ast.Value, len(asked))
	for index, one := range asked {
		inputs[index] = must(ast.InterfaceToValue(one))
	}
	query := must(rego.New(rego.Query("data.access.verdict"), module).PrepareForEval(ctx))
	answers := make([]any, len(inputs))
	round := func() float64 {
		began := cpuMs()
		for index, input := range inputs {
			answers[index] = must(query.Eval(ctx, rego.EvalParsedInput(input)))[0].Expressions[0].Value
		}
		return cpuMs() - began
	}
	cold, warm := round(), round()
	result := map[string]any{"answers": answers, "coldMs": cold, "warmMs": warm, "megabytes": used().Maxrss / 1024}
	must(0, json.NewEncoder(os.Stdout).Encode(result))
}
