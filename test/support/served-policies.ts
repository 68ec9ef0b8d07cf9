/** Admission policies over HTTPS: they are written through the first replica, and known to every one afterwards. */
import type { ApiClient } from './client.ts';

const group = '/apis/admissionregistration.orch.io/v1';

/** Of policies about writes of ConfigMaps. */
export const configMapRule = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};

export class ServedPolicies {
  readonly policies: string;
  readonly bindings: string;
  readonly #clients: readonly [ApiClient, ...ApiClient[]];

  constructor(kind: 'validating' | 'mutating', clients: readonly [ApiClient, ...ApiClient[]]) {
    this.policies = `${group}/${kind}admissionpolicies`;
    this.bindings = `${group}/${kind}admissionpolicybindings`;
    this.#clients = clients;
  }

  /** A policy about ConfigMaps, and its binding `<name>-b`. */
  async write(name: string, spec: object, binding: object = {}): Promise<void> {
    const [first] = this.#clients;
    const matchConstraints = { resourceRules: [configMapRule] };
    await first.ok('POST', this.policies, { metadata: { name }, spec: { matchConstraints, ...spec } });
    const bound = { metadata: { name: `${name}-b` }, spec: { policyName: name, ...binding } };
    await first.ok('POST', this.bindings, bound);
    // A fresh read waits until the view is there.
    for (const client of this.#clients) await client.ok('GET', `${this.bindings}/${name}-b`);
  }

  async remove(name: string): Promise<void> {
    const [first] = this.#clients;
    await first.ok('DELETE', `${this.bindings}/${name}-b`);
    await first.ok('DELETE', `${this.policies}/${name}`);
    for (const client of this.#clients)
      expect((await client.get(`${this.policies}/${name}`)).status).toBe(404);
  }
}
