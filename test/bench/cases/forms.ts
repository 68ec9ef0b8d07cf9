/** A get, a page of a list and a creation in CBOR, against the same in JSON; Protobuf takes its turns beside them. */
import { isDeepStrictEqual } from 'node:util';

import { decodeCbor } from '../../../src/codec/cbor/decode-cbor.ts';
import { encodeCborDocument } from '../../../src/codec/cbor/encode-cbor.ts';
import { decodeProtobuf, encodeProtobuf } from '../../../src/codec/protobuf/codec.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { createWireTypes, type WireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { newestRelease } from '../../../src/observe/release.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, type Lab } from '../support/lab.ts';
import type { RequestLoad } from '../support/load-types.ts';
import { podNamed, podTemplate } from '../support/pod.ts';
import { alternate, Run, warmUp, type Comparison, type RunReport } from '../support/run.ts';
import { withCpu } from '../support/usage.ts';

const pageSize = 500;
const collection = podsIn('forms');
/** The pod that is asked for; the others have the names that the generator of load has come to. */
const asked = 'asked';
/** The release whose CBOR it is; what else writes is left out. */
const args = [
  '--emulated-release=1.36',
  '--feature-gates=CBORServingAndStorage=true',
  '--controllers=',
  '--disable-admission-plugins=ServiceAccount',
];

/** A form of objects on the wire. */
interface Form {
  readonly type: string;
  readonly encode: (object: JsonObject) => Buffer;
  readonly decode: (body: Buffer) => JsonObject;
}

const json: Form = {
  type: 'application/json',
  encode: (object) => Buffer.from(JSON.stringify(object)),
  decode: (body) => JSON.parse(body.toString()) as JsonObject,
};

const cbor: Form = {
  type: 'application/cbor',
  encode: (object) => encodeCborDocument(object),
  decode: (body) => decodeCbor(body) as JsonObject,
};

let known: WireTypes | undefined;

function wireTypes(): WireTypes {
  if (known) return known;
  const { catalogue, schemas } = realCatalogue(namingProfiles.orch, newestRelease);
  return (known = createWireTypes(() => catalogue, schemas));
}

const protobuf: Form = {
  type: 'application/vnd.orch.protobuf',
  encode: (object) => {
    const pod = wireTypes().find('v1', 'Pod');
    if (!pod) throw new Error('pods have no Protobuf form');
    return encodeProtobuf(pod, object);
  },
  decode: (body) => decodeProtobuf(body, (apiVersion, kind) => wireTypes().find(apiVersion, kind)),
};

/** What is asked for again and again, in a form. */
type Ask = Pick<RequestLoad, 'method' | 'paths' | 'expect' | 'bytes'>;
/** @throws Error unless the replica answers it rightly in the form */
type Asking = (replica: Replica, form: Form) => Promise<Ask>;

async function answerIn(form: Form, replica: Replica, path: string): Promise<JsonObject> {
  const { status, headers, body } = await replica.admin.get(path, { accept: form.type });
  check(status === 200 && headers['content-type'] === form.type, `${path} is answered as ${form.type}`);
  return form.decode(body);
}

const getting: Asking = async (replica, form) => {
  const path = `${collection}/${asked}`;
  const same = isDeepStrictEqual(await answerIn(form, replica, path), await answerIn(json, replica, path));
  check(same, `the pod as ${form.type} is the pod`);
  return { method: 'GET', paths: [path], expect: 200 };
};

const paging: Asking = async (replica, form) => {
  const path = `${collection}?limit=${pageSize}`;
  const [page, expected] = [await answerIn(form, replica, path), await answerIn(json, replica, path)];
  check(isDeepStrictEqual(page['items'], expected['items']), `the page as ${form.type} holds the pods`);
  return { method: 'GET', paths: [path], expect: 200 };
};

const creating: Asking = async ({ admin }, form) => {
  const { metadata, ...pod } = JSON.parse(podNamed('')) as JsonObject & { metadata: JsonObject };
  const { name: _none, ...rest } = metadata;
  const bytes = form.encode({ ...pod, metadata: { ...rest, generateName: 'made-' } });
  const path = podsIn('forms-made');
  const forms = { accept: form.type, 'content-type': form.type };
  const { status, body } = await admin.request('POST', path, bytes, forms);
  check(status === 201, `a creation as ${form.type} is answered`);
  const made = form.decode(body);
  const { name } = made['metadata'] as { name: string };
  const stored = await admin.ok('GET', `${path}/${name}`);
  check(isDeepStrictEqual(made, stored), `a creation as ${form.type} gives the pod`);
  return { method: 'POST', paths: [path], bytes: bytes.toString('base64'), expect: 201 };
};

async function seed({ writer, service, options }: Lab, { admin, port }: Replica): Promise<void> {
  const { status } = await admin.request('POST', '/api/v1/namespaces', { metadata: { name: 'forms' } });
  if (status === 409) return;
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'forms-made' } });
  const { errors } = await writer.run({
    ...{ kind: 'requests', target: { ...service, port }, connections: 32, seconds: 600 },
    ...{ total: Math.min(pageSize, options.pods), method: 'POST', paths: [collection] },
    ...{ body: podTemplate, namePrefix: 'pod', expect: 201 },
  });
  check(errors === 0, 'pods are stored');
  await admin.ok('POST', collection, podNamed(asked));
}

async function compare(lab: Lab, replica: Replica, asking: Asking): Promise<Comparison> {
  const turnOf = async (form: Form): Promise<() => Promise<RunReport>> => {
    const ask = await asking(replica, form);
    const target = { ...lab.service, port: replica.port };
    const load = { kind: 'requests', target, connections: 8, seconds: lab.turnSeconds } as const;
    const types = { accept: form.type, contentType: form.type };
    return () => withCpu(replica.pid, () => lab.load.run({ ...load, ...types, ...ask }));
  };
  const [service, bare, third] = [await turnOf(cbor), await turnOf(json), await turnOf(protobuf)];
  const besides = new Run();
  await warmUp({ service, bare });
  await third();
  const comparison = await alternate(lab.options.rounds, {
    service,
    bare: async () => {
      besides.add(await third());
      return await bare();
    },
  });
  const sides = [comparison.service, comparison.bare, besides];
  check(
    sides.every(({ errors }) => errors === 0),
    'every form is answered',
  );
  return {
    ...comparison,
    remarks: [`processor time: ${sides.map(costOf).join(', ')} (CBOR, JSON, Protobuf)`],
  };
}

function costOf({ cpuSeconds, count, bytes }: Run): string {
  return `${((cpuSeconds / count) * 1e6).toFixed(0)} µs for ${(bytes / count).toFixed(0)} bytes`;
}

function caseOf(what: string, asking: Asking): BenchCase {
  return {
    name: `CBOR, bare: JSON; ${what}`,
    unit: 'requests',
    run: async (lab) => {
      const { etcd, replica: shared } = lab;
      await using replica = await startReplica({ etcd, pki: shared.pki, prefix: '/forms', args });
      await seed(lab, replica);
      return await compare(lab, replica, asking);
    },
  };
}

export const formCases: Readonly<Record<string, BenchCase>> = {
  'cbor-get': caseOf('get', getting),
  'cbor-page': caseOf('page', paging),
  'cbor-create': caseOf('create', creating),
};
