// Clients of the newest release against the service at its newest release: what KUBECONFIG names.
package clients

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	configurations "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// patience bounds every wait; a test that passes needs a fraction of it.
const patience = 60 * time.Second

var namespaceCount atomic.Int64

func config(t *testing.T) *rest.Config {
	t.Helper()
	found, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(t, err)
	found.QPS, found.Burst = 200, 400
	return found
}

// space is a namespace of its own for a test, with a client and a context that ends with it.
func space(t *testing.T) (context.Context, *kubernetes.Clientset, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	client := kubernetes.NewForConfigOrDie(config(t))
	name := fmt.Sprintf("go-%d", namespaceCount.Add(1))
	made := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: name}}
	_, err := client.CoreV1().Namespaces().Create(ctx, made, meta.CreateOptions{})
	check(t, err)
	return ctx, client, name
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until asks until the answer is yes.
func until(t *testing.T, ctx context.Context, what string, holds func() bool) {
	t.Helper()
	yes := func(context.Context) (bool, error) { return holds(), nil }
	if err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, yes); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// recorder notes the paths that a client asks for.
type recorder struct {
	lock  sync.Mutex
	asked []*http.Request
	next  http.RoundTripper
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.lock.Lock()
	r.asked = append(r.asked, request)
	r.lock.Unlock()
	return r.next.RoundTrip(request)
}

func (r *recorder) count(holds func(*http.Request) bool) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	count := 0
	for _, request := range r.asked {
		if holds(request) {
			count++
		}
	}
	return count
}

func recorded(t *testing.T) (*rest.Config, *recorder) {
	t.Helper()
	found, record := config(t), &recorder{}
	found.Wrap(func(next http.RoundTripper) http.RoundTripper {
		record.next = next
		return record
	})
	return found, record
}

// TestAnInformerBeginsWithAWatch has every object of the state and each later change, from one watch: no list is asked for.
func TestAnInformerBeginsWithAWatch(t *testing.T) {
	ctx, client, space := space(t)
	maps := client.CoreV1().ConfigMaps(space)
	const count = 300
	for i := range count {
		about := meta.ObjectMeta{Name: fmt.Sprintf("m-%d", i), Labels: map[string]string{"informed": "yes"}}
		one := &core.ConfigMap{ObjectMeta: about}
		_, err := maps.Create(ctx, one, meta.CreateOptions{})
		check(t, err)
	}
	found, record := recorded(t)
	watched := kubernetes.NewForConfigOrDie(found)
	ofLabel := func(options *meta.ListOptions) { options.LabelSelector = "informed=yes" }
	source := cache.ToListWatcherWithWatchListSemantics(cache.NewFilteredListWatchFromClient(
		watched.CoreV1().RESTClient(), "configmaps", space, ofLabel), watched)
	var changed, gone atomic.Int64
	store, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: source,
		ObjectType:    &core.ConfigMap{},
		Handler: cache.ResourceEventHandlerFuncs{
			UpdateFunc: func(any, any) { changed.Add(1) },
			DeleteFunc: func(any) { gone.Add(1) },
		},
	})
	go informer.RunWithContext(ctx)
	until(t, ctx, "the first state", informer.HasSynced)
	if have := len(store.List()); have != count {
		t.Fatalf("%d of %d objects", have, count)
	}
	initial := func(r *http.Request) bool { return r.URL.Query().Get("sendInitialEvents") == "true" }
	lists := func(r *http.Request) bool { return r.URL.Query().Get("watch") == "" }
	if record.count(initial) != 1 || record.count(lists) != 0 {
		t.Fatalf("%d watches with initial events, %d lists", record.count(initial), record.count(lists))
	}
	one, err := maps.Get(ctx, "m-0", meta.GetOptions{})
	check(t, err)
	one.Data = map[string]string{"a": "1"}
	_, err = maps.Update(ctx, one, meta.UpdateOptions{})
	check(t, err)
	check(t, maps.Delete(ctx, "m-1", meta.DeleteOptions{}))
	until(t, ctx, "both changes", func() bool { return changed.Load() >= 1 && gone.Load() == 1 })
}

func TestApplySharesAnObjectAndNamesConflicts(t *testing.T) {
	ctx, client, space := space(t)
	maps := client.CoreV1().ConfigMaps(space)
	apply := func(manager string, force bool, data map[string]string) (*core.ConfigMap, error) {
		wanted := configurations.ConfigMap("shared", space).WithData(data)
		return maps.Apply(ctx, wanted, meta.ApplyOptions{FieldManager: manager, Force: force})
	}
	_, err := apply("one", false, map[string]string{"a": "1"})
	check(t, err)
	_, err = apply("two", false, map[string]string{"b": "2"})
	check(t, err)
	if _, err = apply("two", false, map[string]string{"a": "9"}); !apierrors.IsConflict(err) {
		t.Fatal("no conflict: ", err)
	}
	forced, err := apply("two", true, map[string]string{"a": "9"})
	check(t, err)
	if len(forced.Data) != 1 || forced.Data["a"] != "9" {
		t.Fatal(forced.Data)
	}
	own, err := configurations.ExtractConfigMap(forced, "two")
	check(t, err)
	if len(own.Data) != 1 {
		t.Fatal(own)
	}
}

// TestDiscoveryIsAggregated reads all groups in two requests.
func TestDiscoveryIsAggregated(t *testing.T) {
	found, record := recorded(t)
	groups, lists, err := discovery.NewDiscoveryClientForConfigOrDie(found).ServerGroupsAndResources()
	check(t, err)
	if len(groups) < 20 || len(lists) < 20 {
		t.Fatal(len(groups), len(lists))
	}
	if asked := record.count(func(*http.Request) bool { return true }); asked != 2 {
		t.Fatalf("%d requests", asked)
	}
	version, err := discovery.NewDiscoveryClientForConfigOrDie(found).ServerVersion()
	check(t, err)
	if version.Major != "1" || version.Minor != "36" {
		t.Fatal(version)
	}
}

// TestASecondLeaderWaits for the lease that the first one gives up.
func TestASecondLeaderWaits(t *testing.T) {
	ctx, client, space := space(t)
	run := func(ctx context.Context, identity string, leads chan<- string) {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  meta.ObjectMeta{Namespace: space, Name: "leader"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 30 * time.Second, RenewDeadline: 20 * time.Second, RetryPeriod: 50 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- identity },
				OnStoppedLeading: func() {},
			},
		})
	}
	leads := make(chan string, 2)
	first, stop := context.WithCancel(ctx)
	go run(first, "one", leads)
	if leader := <-leads; leader != "one" {
		t.Fatal(leader)
	}
	second, end := context.WithCancel(ctx)
	defer end()
	go run(second, "two", leads)
	stop()
	select {
	case leader := <-leads:
		if leader != "two" {
			t.Fatal(leader)
		}
	case <-ctx.Done():
		t.Fatal("nobody else leads")
	}
}

func TestEveryServedKindIsListed(t *testing.T) {
	ctx, _, _ := space(t)
	found := config(t)
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(found).ServerPreferredResources()
	check(t, err)
	client := dynamic.NewForConfigOrDie(found)
	seen := 0
	for _, list := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists) {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		check(t, err)
		for _, resource := range list.APIResources {
			answer, err := client.Resource(version.WithResource(resource.Name)).List(ctx, meta.ListOptions{Limit: 5})
			if err != nil {
				t.Error(list.GroupVersion, resource.Name, err)
			} else if answer.GetResourceVersion() == "" {
				t.Error(list.GroupVersion, resource.Name, "has no version")
			}
			seen++
		}
	}
	if seen < 50 {
		t.Fatal(seen)
	}
}

// TestStrictFieldsAndPatches has unknown fields refused, and lists merged by their key.
func TestStrictFieldsAndPatches(t *testing.T) {
	ctx, client, space := space(t)
	odd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "odd"},
		"spec": map[string]any{"ports": []any{map[string]any{"port": int64(80), "prot": "TCP"}}},
	}}
	services := dynamic.NewForConfigOrDie(config(t)).Resource(schema.GroupVersionResource{Version: "v1", Resource: "services"})
	_, err := services.Namespace(space).Create(ctx, odd, meta.CreateOptions{FieldValidation: "Strict"})
	if !apierrors.IsBadRequest(err) {
		t.Fatal("not refused: ", err)
	}
	made := &core.Service{ObjectMeta: meta.ObjectMeta{Name: "two"}, Spec: core.ServiceSpec{
		Ports: []core.ServicePort{{Name: "a", Port: 80}, {Name: "b", Port: 81}}}}
	_, err = client.CoreV1().Services(space).Create(ctx, made, meta.CreateOptions{})
	check(t, err)
	patch := []byte(`{"spec":{"ports":[{"port":81,"appProtocol":"http"}]}}`)
	answer, err := client.CoreV1().Services(space).Patch(ctx, "two", types.StrategicMergePatchType, patch, meta.PatchOptions{})
	check(t, err)
	if len(answer.Spec.Ports) != 2 {
		t.Fatal(answer.Spec.Ports)
	}
}

// TestATokenNamesItself at each use: by its id and by what it is bound to.
func TestATokenNamesItself(t *testing.T) {
	ctx, client, space := space(t)
	accounts := client.CoreV1().ServiceAccounts(space)
	_, err := accounts.Create(ctx, &core.ServiceAccount{ObjectMeta: meta.ObjectMeta{Name: "robot"}}, meta.CreateOptions{})
	check(t, err)
	request := &authentication.TokenRequest{}
	token, err := accounts.CreateToken(ctx, "robot", request, meta.CreateOptions{})
	check(t, err)
	own := rest.AnonymousClientConfig(config(t))
	own.BearerToken = token.Status.Token
	review, err := kubernetes.NewForConfigOrDie(own).AuthenticationV1().SelfSubjectReviews().Create(
		ctx, &authentication.SelfSubjectReview{}, meta.CreateOptions{})
	check(t, err)
	if review.Status.UserInfo.Username != "system:serviceaccount:"+space+":robot" {
		t.Fatal(review.Status)
	}
	if len(review.Status.UserInfo.Extra["authentication.kubernetes.io/credential-id"]) != 1 {
		t.Fatal(review.Status.UserInfo.Extra)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	ctx, client, space := space(t)
	odd := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "Odd_Name"}}
	_, err := client.CoreV1().ConfigMaps(space).Create(ctx, odd, meta.CreateOptions{})
	if !apierrors.IsInvalid(err) || !apierrors.HasStatusCause(err, meta.CauseTypeFieldValueInvalid) {
		t.Fatal(err)
	}
	_, err = client.CoreV1().ConfigMaps(space).Get(ctx, "none", meta.GetOptions{})
	status := &apierrors.StatusError{}
	if !errors.As(err, &status) || status.ErrStatus.Details.Kind != "configmaps" {
		t.Fatal(err)
	}
}
