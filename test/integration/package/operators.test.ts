/** Operators as they are published, with the examples that come with them, reconcile against a control plane. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import {
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type ObjectReference,
} from '../../../src/testing/index.ts';
import { Child } from '../../support/child-process.ts';
import { nodeBinary } from '../../support/paths.ts';
import { childrenOf } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Project } from './support/project.ts';

const packages = ['@dot-i/k8s-operator@1.3.9', 'pepr@1.1.4', 'undici@7.16.0', 'typescript@5.8.3'];
/** Packages are fetched, and one operator type-checks and bundles itself. */
const limitMs = 240_000;

let project: Project;
let controlPlane: ControlPlane;

beforeAll(async () => {
  const crds = [join(import.meta.dirname, 'support', 'operator-definition.yaml')];
  controlPlane = await startControlPlane({ crds });
  project = await Project.without(packages);
}, limitMs);

afterAll(async () => {
  await controlPlane.stop();
  await project.remove();
});

async function runs(args: readonly string[], folder = ''): Promise<Child> {
  const env = { ...process.env, KUBECONFIG: await controlPlane.kubeconfigFile(), LOG_LEVEL: 'info' };
  const cwd = join(project.folder, folder);
  return Child.start({ name: 'operator', program: nodeBinary(), args, cwd, env });
}

/** Waits for an object as the operator makes it. What the operator says is shown if it does not. */
async function makes(
  operator: Child,
  about: ObjectReference,
  is: (object: ApiObject | undefined) => boolean,
): Promise<void> {
  await controlPlane.until(about, is, { timeoutMs: 30_000 }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${operator.output().slice(-4_000)}`);
  });
}

test('@dot-i/k8s-operator, with the operator of its guide: finalizer, status and deletion', async () => {
  const guide = project.read('node_modules/@dot-i/k8s-operator/README.md');
  const blocks = [...guide.matchAll(/```javascript\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const [definition = ''] = blocks.filter((block) => block.includes("'mycustomresources'"));
  // CommonJS has no `await` outside of functions.
  const [start = ''] = blocks.filter((block) => block.includes('operator.start()'));
  const compilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2022,
    esModuleInterop: true,
  };
  const source = definition + start.replace(/^await /m, '');
  project.write('operator.cjs', ts.transpileModule(source, { compilerOptions }).outputText);

  const { admin } = controlPlane;
  const one = {
    apiVersion: 'dot-i.com/v1',
    kind: 'MyCustomResource',
    metadata: { name: 'one' },
    spec: { foo: 'a' },
  };
  const operator = await runs(['operator.cjs']);
  try {
    await admin.create(one);
    const observes = (generation: number) => (found: ApiObject | undefined) =>
      (found?.['status'] as { observedGeneration?: number } | undefined)?.observedGeneration === generation;
    await makes(operator, one, observes(1));
    expect((await admin.get(one)).metadata.finalizers).toEqual(['mycustomresources.dot-i.com']);
    await admin.patch(one, { spec: { foo: 'b' } });
    await makes(operator, one, observes(2));
    await admin.delete(one);
    await makes(operator, one, (found) => found === undefined);
  } finally {
    await operator.stop();
  }
}, 60_000);

/** Its webhooks have certificates without subject and issuer. */
test(
  'Pepr, with the module that `pepr init` makes: it applies, watches, stores, changes and refuses',
  async () => {
    const pepr = join(project.folder, 'node_modules', 'pepr', 'dist', 'cli.js');
    const init = ['--name', 'hello', '--description', 'x', '--uuid', 'hello', '--error-behavior', 'reject'];
    const made = await project.run(nodeBinary(), [pepr, 'init', ...init, '--skip-post-init', '--yes']);
    expect(made.code).toBe(0);
    symlinkSync(join('..', 'node_modules'), join(project.folder, 'hello', 'node_modules'));

    const { admin } = controlPlane;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pepr-demo-2' } };
    const map = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'pepr-demo-2' },
    });
    const operator = await runs([pepr, 'dev', '--host', 'localhost', '--yes'], 'hello');
    try {
      const isReady = (): boolean =>
        operator.exit() !== undefined || operator.output().includes('Pepr Store Ready');
      await waitFor('the module', isReady, { timeout: limitMs });
      const { metadata } = await admin.create<ApiObject>(namespace);
      const applied = map('pepr-ssa-demo');
      await makes(
        operator,
        applied,
        (found) => (found?.['data'] as Record<string, string> | undefined)?.['ns-uid'] === metadata.uid,
      );
      const joke = map('joke');
      await admin.create({ ...joke, metadata: { ...joke.metadata, labels: { 'chuck-norris': 'yes' } } });
      await makes(operator, joke, (found) => JSON.stringify(found?.['data'] ?? {}).includes('chuck-says'));
      const store = {
        apiVersion: 'pepr.dev/v1',
        kind: 'PeprStore',
        metadata: { name: 'pepr-hello-store', namespace: 'pepr-system' },
      };
      await makes(operator, store, (found) => JSON.stringify(found?.['data'] ?? {}).includes('watch-data'));
      const changed = await admin.create<ApiObject>(map('example-1'));
      expect(changed.metadata.labels).toMatchObject({ pepr: 'was-here' });
      const evil = { ...joke, metadata: { ...joke.metadata, name: 'two', annotations: { evil: 'yes' } } };
      await expect(admin.create(evil)).rejects.toThrow(/No evil CM annotations allowed/);
    } finally {
      for (const module of childrenOf(operator.pid)) process.kill(module);
      await operator.stop();
    }
  },
  limitMs,
);
