// CBOR, which clients speak where KUBE_FEATURE_ClientsAllowCBOR and KUBE_FEATURE_ClientsPreferCBOR say so.
package clients

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	configurations "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// spoken notes the media types of bodies.
type spoken struct {
	lock              sync.Mutex
	requests, answers map[string]int
	next              http.RoundTripper
}

func (s *spoken) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := s.next.RoundTrip(request)
	s.lock.Lock()
	defer s.lock.Unlock()
	if request.Body != nil {
		s.requests[request.Header.Get("Content-Type")]++
	}
	// Paths that are not served yet are no part of the API.
	if err == nil && !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
		s.answers[answer.Header.Get("Content-Type")]++
	}
	return answer, err
}

func listening(t *testing.T) (*rest.Config, *spoken) {
	t.Helper()
	found, heard := config(t), &spoken{requests: map[string]int{}, answers: map[string]int{}}
	// Typed clients would rather speak Protobuf.
	found.ContentType, found.AcceptContentTypes = "application/cbor", "application/cbor"
	found.Wrap(func(next http.RoundTripper) http.RoundTripper {
		heard.next = next
		return heard
	})
	return found, heard
}

// only fails unless all bodies were of these types.
func (s *spoken) only(t *testing.T, requests, answers string) {
	t.Helper()
	s.lock.Lock()
	defer s.lock.Unlock()
	sent, got := slices.Sorted(maps.Keys(s.requests)), slices.Sorted(maps.Keys(s.answers))
	if strings.Join(sent, " ") != requests || strings.Join(got, " ") != answers {
		t.Errorf("sent %v, got %v", sent, got)
	}
}

// next is the next event but a bookmark.
func next(t *testing.T, ctx context.Context, events watch.Interface) watch.Event {
	t.Helper()
	for {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				t.Fatal("the watch has ended")
			}
			if event.Type != watch.Bookmark {
				return event
			}
		case <-ctx.Done():
			t.Fatal("no event")
		}
	}
}

func TestCBOROfTypedClients(t *testing.T) {
	ctx, _, space := space(t)
	found, heard := listening(t)
	client := kubernetes.NewForConfigOrDie(found)
	secrets := client.CoreV1().Secrets(space)
	value := []byte{0, 1, 0xff, 0xfe, 'a'}
	made, err := secrets.Create(ctx, &core.Secret{
		ObjectMeta: meta.ObjectMeta{Name: "bytes", Labels: map[string]string{"ü": "no"}},
	}, meta.CreateOptions{})
	if !apierrors.IsInvalid(err) || !apierrors.HasStatusCause(err, meta.CauseTypeFieldValueInvalid) {
		t.Fatal("not refused: ", err)
	}
	made, err = secrets.Create(ctx, &core.Secret{
		ObjectMeta: meta.ObjectMeta{Name: "bytes", Annotations: map[string]string{"text": "ü 𐅑 \x00"}},
		Data:       map[string][]byte{"value": value, "empty": {}},
	}, meta.CreateOptions{})
	check(t, err)
	only := "metadata.name=bytes"
	events, err := secrets.Watch(ctx, meta.ListOptions{ResourceVersion: made.ResourceVersion, FieldSelector: only})
	check(t, err)
	defer events.Stop()
	got, err := secrets.Get(ctx, "bytes", meta.GetOptions{})
	check(t, err)
	if !bytes.Equal(got.Data["value"], value) || got.Annotations["text"] != "ü 𐅑 \x00" || got.CreationTimestamp.IsZero() {
		t.Fatal(got)
	}
	got.Data["more"] = []byte("b")
	_, err = secrets.Update(ctx, got, meta.UpdateOptions{})
	check(t, err)
	changed := next(t, ctx, events)
	if secret := changed.Object.(*core.Secret); changed.Type != watch.Modified || string(secret.Data["more"]) != "b" {
		t.Fatal(changed)
	}
	wanted := configurations.Secret("bytes", space).WithData(map[string][]byte{"applied": value})
	applied, err := secrets.Apply(ctx, wanted, meta.ApplyOptions{FieldManager: "cbor"})
	check(t, err)
	if !bytes.Equal(applied.Data["applied"], value) || len(applied.ManagedFields) < 2 {
		t.Fatal(applied)
	}
	own, err := configurations.ExtractSecret(applied, "cbor")
	check(t, err)
	if len(own.Data) != 1 {
		t.Fatal(own)
	}
	list, err := secrets.List(ctx, meta.ListOptions{FieldSelector: only})
	check(t, err)
	if len(list.Items) != 1 || !bytes.Equal(list.Items[0].Data["applied"], value) || list.ResourceVersion == "" {
		t.Fatal(list)
	}
	check(t, secrets.Delete(ctx, "bytes", meta.DeleteOptions{Preconditions: &meta.Preconditions{UID: &made.UID}}))
	if next(t, ctx, events); next(t, ctx, events).Type != watch.Deleted {
		t.Fatal("not deleted")
	}
	heard.only(t, "application/apply-patch+cbor application/cbor", "application/cbor application/cbor-seq")
}

func TestCBOROfPatches(t *testing.T) {
	ctx, _, space := space(t)
	found, heard := listening(t)
	services := kubernetes.NewForConfigOrDie(found).CoreV1().Services(space)
	made := &core.Service{ObjectMeta: meta.ObjectMeta{Name: "one"}, Spec: core.ServiceSpec{Ports: []core.ServicePort{{Port: 80}}}}
	_, err := services.Create(ctx, made, meta.CreateOptions{})
	check(t, err)
	patched, err := services.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), meta.PatchOptions{})
	check(t, err)
	if patched.Labels["a"] != "b" || patched.Spec.Ports[0].TargetPort.IntValue() != 80 {
		t.Fatal(patched)
	}
	heard.only(t, "application/cbor application/merge-patch+json", "application/cbor")
}

// TestCBOROfCustomResources has values of every type come back as they went.
func TestCBOROfCustomResources(t *testing.T) {
	ctx, _, space := space(t)
	found, heard := listening(t)
	client := dynamic.NewForConfigOrDie(found)
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things.cbor.example.com"},
		"spec": map[string]any{
			"group": "cbor.example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "things", "kind": "Thing"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": open},
				}},
				"subresources": map[string]any{"status": map[string]any{}, "scale": map[string]any{
					"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
				}},
			}},
		},
	}}
	_, err := definitions.Create(ctx, definition, meta.CreateOptions{})
	check(t, err)
	things := client.Resource(schema.GroupVersionResource{Group: "cbor.example.com", Version: "v1", Resource: "things"}).Namespace(space)
	spec := map[string]any{
		"large": int64(9007199254740993), "least": int64(-9223372036854775808), "ratio": 1.1, "half": 0.5,
		"no": false, "yes": true, "text": "ü", "empty": "", "list": []any{int64(1), "a", map[string]any{}},
		"replicas": int64(3),
	}
	thing := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cbor.example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "one"}, "spec": spec,
	}}
	until(t, ctx, "the definition", func() bool {
		_, err = things.Create(ctx, thing, meta.CreateOptions{})
		return !apierrors.IsNotFound(err)
	})
	check(t, err)
	events, err := things.Watch(ctx, meta.ListOptions{})
	check(t, err)
	defer events.Stop()
	same := func(got *unstructured.Unstructured) {
		t.Helper()
		content := got.Object["spec"].(map[string]any)
		for name, value := range spec {
			if name != "list" && content[name] != value {
				t.Errorf("%s is %#v", name, content[name])
			}
		}
	}
	same(next(t, ctx, events).Object.(*unstructured.Unstructured))
	list, err := things.List(ctx, meta.ListOptions{})
	check(t, err)
	same(&list.Items[0])
	if list.Items[0].GetKind() != "Thing" || list.GetKind() != "ThingList" {
		t.Fatal(list)
	}
	thing.SetLabels(map[string]string{"applied": "yes"})
	applied, err := things.Apply(ctx, "one", thing, meta.ApplyOptions{FieldManager: "cbor", Force: true})
	check(t, err)
	same(applied)
	scale, err := things.Get(ctx, "one", meta.GetOptions{}, "scale")
	check(t, err)
	if replicas, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas"); replicas != 3 {
		t.Fatal(scale)
	}
	check(t, things.DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{LabelSelector: "applied=yes"}))
	check(t, definitions.Delete(ctx, "things.cbor.example.com", meta.DeleteOptions{}))
	heard.only(t, "application/apply-patch+cbor application/cbor", "application/cbor application/cbor-seq")
}
