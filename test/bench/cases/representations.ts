/** Whole lists as Table, as Protobuf and as metadata alone, against Express returning the same bytes from memory. */
import { isDeepStrictEqual } from 'node:util';

import { decodeProtobuf } from '../../../src/codec/protobuf/codec.ts';
import { createWireTypes, type WireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../support/client.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, type Lab } from '../support/lab.ts';
import { figureIn } from '../support/metrics.ts';
import { podTemplate } from '../support/pod.ts';
import { alternate, Run, type Comparison, type RunReport } from '../support/run.ts';
import { withCpu } from '../support/usage.ts';

const namespace = 'represented';
const collection = podsIn(namespace);
const mostPods = 3_500;
/** What prom-client measures the loop's delay with: its figures hold one such tick each. */
const tickMs = 10;

function podsOf({ options }: Lab): number {
  return Math.min(mostPods, options.pods);
}

interface Form {
  readonly name: string;
  readonly accept: string;
  /** The metadata of each object in an answer, in its order. @throws when the answer is not of this form */
  readonly metadataIn: (body: Buffer) => Metadata[];
}

type Metadata = ApiObject['metadata'];

const table: Form = {
  name: 'Table',
  // As command lines ask for it.
  accept:
    'application/json;as=Table;v=v1;g=meta.orch.io,application/json;as=Table;v=v1beta1;g=meta.orch.io,application/json',
  metadataIn: (body) => {
    const { kind, rows } = parsed(body) as { kind: string; rows: { cells: unknown[]; object: ApiObject }[] };
    check(kind === 'Table', 'the answer is a Table');
    check(
      rows.every(({ cells, object }) => cells[0] === object.metadata.name && cells[2] === 'Pending'),
      'each row shows its object',
    );
    return rows.map(({ object }) => object.metadata);
  },
};

const metadata: Form = {
  name: 'metadata',
  accept: 'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1',
  metadataIn: (body) => {
    const { kind, items } = parsed(body) as { kind: string; items: ApiObject[] };
    check(kind === 'PartialObjectMetadataList', 'the answer is a list of metadata');
    return items.map((item) => item.metadata);
  },
};

let known: WireTypes | undefined;

function wireTypes(): WireTypes {
  if (known) return known;
  const { catalogue, schemas } = realCatalogue(namingProfiles.orch);
  return (known = createWireTypes(() => catalogue, schemas));
}

const protobuf: Form = {
  name: 'Protobuf',
  accept: 'application/vnd.orch.protobuf,application/json',
  metadataIn: (body) => {
    const types = wireTypes();
    const list = decodeProtobuf(body, (apiVersion, kind) => types.find(apiVersion, kind));
    check(list['kind'] === 'PodList', 'the answer is a list of pods');
    return (list['items'] as unknown as ApiObject[]).map((item) => item.metadata);
  },
};

function parsed(body: Buffer): unknown {
  return JSON.parse(body.toString());
}

/** Stores the pods, unless another case has done so. */
async function seed(lab: Lab): Promise<void> {
  const { admin } = lab.replica;
  const { status } = await admin.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  if (status === 409) return;
  await lab.writer.run({
    ...{ kind: 'requests', target: lab.service, connections: 32, seconds: 600, total: podsOf(lab) },
    ...{ method: 'POST', paths: [collection], body: podTemplate, namePrefix: 'pod', expect: 201 },
  });
}

/** The answer in this form, after it was compared with the objects themselves. */
async function verified(lab: Lab, form: Form): Promise<Buffer> {
  const { replica } = lab;
  const { body, status, headers } = await replica.admin.get(collection, { accept: form.accept });
  check(status === 200, `the list as ${form.name} is answered`);
  check(headers['content-type'] === form.accept.split(/[;,]/)[0], `it says that it is ${form.name}`);
  const { items } = await replica.admin.list(collection);
  check(items.length === podsOf(lab), 'every pod is there');
  const expected = items.map((item) => item.metadata);
  check(isDeepStrictEqual(form.metadataIn(body), expected), `the list as ${form.name} holds every pod`);
  return body;
}

async function compare(lab: Lab, form: Form, turn: Turn): Promise<Comparison> {
  const { replica, bareServer } = lab;
  await seed(lab);
  await replica.admin.get(collection);
  const began = performance.now();
  await replica.admin.get(collection, { accept: form.accept });
  const first = (performance.now() - began).toFixed(0);
  const remarks = [`${podsOf(lab)} pods; the first answer to this case: ${first} ms`];
  await bareServer.serve(collection, await verified(lab, form));
  await longestDelayMs(lab);
  const delays: number[] = [];
  const comparison = await alternate(lab.options.rounds, {
    service: async () => {
      const report = await turn(lab, form, 'service');
      delays.push(await longestDelayMs(lab));
      return report;
    },
    bare: () => turn(lab, form, 'bare'),
  });
  await verified(lab, form);
  remarks.push(`longest delay of the event loop: ${delays.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  return { ...comparison, remarks };
}

type Side = 'service' | 'bare';
type Turn = (lab: Lab, form: Form, side: Side) => Promise<RunReport>;

/** Lists and nothing else. */
const unchanged: Turn = (lab, form, side) => lists(lab, form, side, { seconds: lab.turnSeconds });

/** Before each list, which alone is timed, one pod in twenty changes. */
const changing: Turn = async (lab, form, side) => {
  const sum = new Run();
  const until = performance.now() + lab.turnSeconds * 1000;
  do {
    if (side === 'service') await change(lab);
    sum.add(await lists(lab, form, side, { seconds: 600, total: 1 }));
  } while (performance.now() < until);
  const { count, errors, bytes, seconds, loadCpuSeconds, cpuSeconds } = sum;
  const times = { latency: sum.latency.toJSON(), firstByte: sum.firstByte.toJSON() };
  return { count, errors, bytes, seconds, loadCpuSeconds, cpuSeconds, ...times };
};

let turns = 0;

async function change(lab: Lab): Promise<void> {
  turns += 1;
  const changedPods = podsOf(lab) / 20;
  const { items } = await lab.replica.admin.list(`${collection}?limit=${changedPods}`);
  const every = items.map((item) => `${collection}/${item.metadata.name}`);
  const { errors } = await lab.writer.run({
    ...{ kind: 'requests', target: lab.service, connections: 8, seconds: 600, total: changedPods },
    ...{ method: 'PATCH', contentType: 'application/merge-patch+json', paths: every, expect: 200 },
    body: JSON.stringify({ metadata: { annotations: { turn: `${turns}-##` } } }),
  });
  check(errors === 0, 'pods are changed');
}

function lists(
  lab: Lab,
  { accept }: Form,
  side: Side,
  end: { readonly seconds: number; readonly total?: number },
): Promise<RunReport> {
  const { pid } = side === 'service' ? lab.replica : lab.bareServer;
  return withCpu(pid, () =>
    lab.load.run({
      ...{ kind: 'requests', target: lab[side], connections: 1, ...end },
      ...{ method: 'GET', accept, paths: [collection], expect: 200 },
    }),
  );
}

/** Since it was asked for the last time. */
async function longestDelayMs({ replica }: Lab): Promise<number> {
  const { text } = await replica.admin.get('/metrics');
  return figureIn(text, 'nodejs_eventloop_lag_max_seconds') * 1000 - tickMs;
}

function caseOf(form: Form, isChanging: boolean): BenchCase {
  return {
    name: `list as ${form.name}${isChanging ? ', 5 % changed' : ''}`,
    unit: 'requests',
    showsBytes: true,
    run: (lab) => compare(lab, form, isChanging ? changing : unchanged),
  };
}

export const representationCases: Readonly<Record<string, BenchCase>> = {
  table: caseOf(table, false),
  'table-changed': caseOf(table, true),
  'partial-metadata': caseOf(metadata, false),
  'partial-metadata-changed': caseOf(metadata, true),
  protobuf: caseOf(protobuf, false),
  'protobuf-changed': caseOf(protobuf, true),
};
