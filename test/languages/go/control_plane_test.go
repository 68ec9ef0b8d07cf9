// A control plane for the tests of this package, in the style of envtest: TestMain starts and stops it.
package languages

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type controlPlane struct {
	Testing    string          `json:"testing"`
	CA         string          `json:"ca"`
	Token      string          `json:"token"`
	Kubeconfig json.RawMessage `json:"kubeconfig"`
}

var plane controlPlane

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	command := os.Getenv("ORCH_APISERVER")
	if command == "" {
		command = "npx orch-apiserver"
	}
	words := append(strings.Fields(command), "testing", "--clock=virtual", "--stop-with-input")
	program := exec.Command(words[0], words[1:]...)
	input, _ := program.StdinPipe()
	output, _ := program.StdoutPipe()
	program.Stderr = os.Stderr
	if err := program.Start(); err != nil {
		panic(err)
	}
	defer func() {
		input.Close()
		program.Wait()
	}()
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &plane)
	}
	if err != nil {
		panic(err)
	}
	return m.Run()
}

// act asks for one of the paths below /testing.
func act(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(plane.CA))
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(http.MethodPost, plane.Testing+"/"+path, bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+plane.Token)
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	value := map[string]any{}
	if err := json.NewDecoder(answer.Body).Decode(&value); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, value, err)
	}
	return value
}

// client is of client-go; each test begins with the state after the start.
func client(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	act(t, "reset", struct{}{})
	config, err := clientcmd.RESTConfigFromKubeConfig(plane.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.NewForConfigOrDie(config)
}

func TestEachCaseBeginsWithTheSameState(t *testing.T) {
	for round := range 2 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			maps := client(t).CoreV1().ConfigMaps("default")
			one := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "one"}}
			if _, err := maps.Create(context.Background(), one, meta.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAFaultIsShownOnce(t *testing.T) {
	maps := client(t).CoreV1().ConfigMaps("default")
	scope := map[string]any{"verb": "create", "resource": "configmaps", "times": 1}
	act(t, "faults", map[string]any{"kind": "refuse", "status": 409, "scope": scope})
	one := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "one"}}
	if _, err := maps.Create(context.Background(), one, meta.CreateOptions{}); !errors.IsConflict(err) && !errors.IsAlreadyExists(err) {
		t.Fatal("it was not refused:", err)
	}
	if _, err := maps.Create(context.Background(), one, meta.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if log := act(t, "faults/log", struct{}{})["log"].([]any); len(log) != 1 {
		t.Fatal(log)
	}
}

func TestTimeMoves(t *testing.T) {
	events := client(t).CoreV1().Events("default")
	seen := &core.Event{
		ObjectMeta:     meta.ObjectMeta{Name: "seen"},
		InvolvedObject: core.ObjectReference{Kind: "ConfigMap", Name: "one", Namespace: "default"},
	}
	if _, err := events.Create(context.Background(), seen, meta.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	act(t, "clock", map[string]string{"advance": "2h"})
	left, err := events.List(context.Background(), meta.ListOptions{})
	if err != nil || len(left.Items) != 0 {
		t.Fatal("the event is still there:", left, err)
	}
}

func TestAForkGoesItsOwnWay(t *testing.T) {
	maps := client(t).CoreV1().ConfigMaps("default")
	other, _ := json.Marshal(act(t, "fork", struct{}{})["kubeconfig"])
	config, err := clientcmd.RESTConfigFromKubeConfig(other)
	if err != nil {
		t.Fatal(err)
	}
	one := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "one"}}
	forked := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	if _, err := forked.Create(context.Background(), one, meta.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(context.Background(), "one", meta.GetOptions{}); !errors.IsNotFound(err) {
		t.Fatal("the fork is not apart:", err)
	}
}

func TestANamespaceGoesWithAllInIt(t *testing.T) {
	namespaces := client(t).CoreV1().Namespaces()
	shop := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: "shop"}}
	if _, err := namespaces.Create(context.Background(), shop, meta.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	watch, err := namespaces.Watch(context.Background(), meta.ListOptions{FieldSelector: "metadata.name=shop"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	if err := namespaces.Delete(context.Background(), "shop", meta.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for event := range watch.ResultChan() {
		if event.Type == "DELETED" {
			return
		}
	}
	t.Fatal("the watch ended before the namespace was gone")
}
