package clients

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "orch.test/copy"

// copier keeps a Secret beside each ConfigMap, and takes its name off before the ConfigMap goes.
type copier struct {
	client.Client
}

func (c *copier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	source := &core.ConfigMap{}
	if err := c.Get(ctx, request.NamespacedName, source); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !source.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(source, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(c.Update(ctx, source))
	}
	if source.Data["copy"] != "yes" {
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(source, finalizer) {
		return ctrl.Result{}, c.Update(ctx, source)
	}
	copied := &core.Secret{ObjectMeta: meta.ObjectMeta{Name: source.Name, Namespace: source.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c.Client, copied, func() error {
		copied.StringData = source.Data
		return controllerutil.SetControllerReference(source, copied, c.Scheme())
	})
	return ctrl.Result{}, err
}

// TestAManager runs a reconciler with leader election, a cache of one namespace, owned objects and finalizers.
func TestAManager(t *testing.T) {
	ctx, clients, space := space(t)
	ctrl.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(config(t), ctrl.Options{
		LeaderElection: true, LeaderElectionID: "copier", LeaderElectionNamespace: space,
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       server.Options{BindAddress: "0"},
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{space: {}}},
	})
	check(t, err)
	check(t, ctrl.NewControllerManagedBy(manager).For(&core.ConfigMap{}).Owns(&core.Secret{}).
		Complete(&copier{Client: manager.GetClient()}))
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()

	maps, secrets := clients.CoreV1().ConfigMaps(space), clients.CoreV1().Secrets(space)
	source := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "one"}, Data: map[string]string{"copy": "yes", "word": "tulip"}}
	_, err = maps.Create(ctx, source, meta.CreateOptions{})
	check(t, err)
	has := func(word string) func() bool {
		return func() bool {
			copied, err := secrets.Get(ctx, "one", meta.GetOptions{})
			return err == nil && string(copied.Data["word"]) == word
		}
	}
	until(t, ctx, "the copy", has("tulip"))
	check(t, secrets.Delete(ctx, "one", meta.DeleteOptions{}))
	until(t, ctx, "the copy again", has("tulip"))
	check(t, maps.Delete(ctx, "one", meta.DeleteOptions{}))
	until(t, ctx, "the end of both", func() bool {
		_, one := maps.Get(ctx, "one", meta.GetOptions{})
		_, two := secrets.Get(ctx, "one", meta.GetOptions{})
		return apierrors.IsNotFound(one) && apierrors.IsNotFound(two)
	})
	stop()
	check(t, <-ended)
}
