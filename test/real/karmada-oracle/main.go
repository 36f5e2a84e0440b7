// karmada-oracle answers what Karmada's own functions decide: a JSON scenario a line on its input, an answer a line on its
// output, in the same order. The functions are those of the module that the real stack is built from; nothing is decided here.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/klog/v2"

	"github.com/karmada-io/karmada/pkg/features"
)

// A scenario names the decision that is asked for; the rest of the line is that decision's input.
type scenario struct {
	Op string `json:"op"`
}

// Every decision reads its own fields from the whole line.
var decisions = map[string]func(line []byte) (any, error){
	"schedule":    schedule,
	"scheduleAll": scheduleAll,
	"seats":       seats,
	"overrides":   overrides,
	"interpret":   interpret,
	"names":       objectNames,
	"bind":        bind,
	"works":       works,
	"prune":       pruned,
	"inMember":    inMember,
	"mutate":      mutate,
	"cluster":     storedCluster,

	"customized":           customized,
	"customizationRefusal": customizationRefusal,
}

// A line that cannot be read, or a decision that Karmada refuses as a whole.
type problem struct {
	Problem string `json:"problem"`
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	quiet := flag.NewFlagSet("klog", flag.ExitOnError)
	klog.InitFlags(quiet)
	if err := quiet.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	// As its own end-to-end suite has them on.
	gates := "WorkloadAffinity=true,MultiplePodTemplatesScheduling=true,StatefulFailoverInjection=true,ResourceQuotaEstimate=true"
	if err := features.FeatureGate.Set(gates); err != nil {
		panic(err)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			if err := encoder.Encode(answer(line)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			// Whoever asks one by one waits for the answer; whoever asks many at once has more lines waiting.
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			out.Flush()
			return
		}
	}
}

func answer(line []byte) (result any) {
	defer func() {
		if panicked := recover(); panicked != nil {
			result = problem{fmt.Sprintf("panic: %v", panicked)}
		}
	}()
	var asked scenario
	if err := json.Unmarshal(line, &asked); err != nil {
		return problem{err.Error()}
	}
	decide, known := decisions[asked.Op]
	if !known {
		return problem{fmt.Sprintf("no decision is called %q", asked.Op)}
	}
	decided, err := decide(line)
	if err != nil {
		return problem{err.Error()}
	}
	return decided
}
