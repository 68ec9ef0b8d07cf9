/** Feature gates: stages and defaults in each release, and that a gate leaves out no field that it does not guard. */
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { asJson } from '../../../../src/meta/object.ts';
import { createFeatureGates } from '../../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../../src/observe/release-gates.ts';
import { dropGatedFields } from '../../../../src/schema/gated-fields.ts';
import { gateExceptions } from '../../../support/facts/exceptions.ts';
import {
  factsOf,
  minorOf,
  minors,
  naming,
  needless,
  newest,
  oldest,
  releaseOf,
  unexplained,
} from '../../../support/facts/facts.ts';
import { contextWith, Kind } from '../../../support/kind.ts';

interface Stage {
  readonly stage: string;
  readonly from: number;
  readonly until: number;
  /** `on`, `off`, `on locked`; '' where the facts do not know. */
  readonly state: string;
}

/** `Alpha 1.27-1.32 off; Beta 1.33- off`. */
function stagesOf(text: string): Stage[] {
  return text.split('; ').flatMap((part) => {
    const found = /^(\w+) (?:<=)?1\.(\d+)(-(?:1\.(\d+))?)? ?(.*)$/.exec(part);
    if (!found) return [];
    const [, stage = '', from = '', range, last, state = ''] = found;
    const until = range === undefined ? Number(from) : Number(last ?? newest);
    return [{ stage: stage.toLowerCase(), from: Number(from), until, state }];
  });
}

/** The facts were read from the code of the others: of these they know what was before or after. */
const unread = new Set([24, 30, 32]);

/** Up to which release the code of a gate was read: `code 1.21-1.31`. Lists and plans are no code. */
function lastRead(source: string): number {
  return Number(/^code 1\.(?:21-1\.)?(\d+)/.exec(source)?.[1] ?? 0);
}

/** What a release may say of a gate; '' if it does not know it. */
function expectedOf(stages: readonly Stage[], minor: number): string[] {
  const near = unread.has(minor) ? [minor - 1, minor, minor + 1] : [minor];
  return near.map((each) => {
    const found = stages.find(({ from, until }) => from <= each && each <= until);
    return found ? `${found.stage} ${found.state}` : '';
  });
}

function differingStages(minor: number): string[] {
  const features = new Map(featuresOf(releaseOf(minor)).map((feature) => [feature.name, feature]));
  const read = factsOf('gates').filter(({ source = '' }) => lastRead(source) >= minor);
  return read.flatMap(({ name = '', stages = '' }) => {
    const expected = expectedOf(stagesOf(stages), minor);
    const feature = features.get(name);
    const isKnown = feature !== undefined && feature.isUnknown !== true;
    const state = isKnown ? `${feature.default ? 'on' : 'off'}${feature.isLocked ? ' locked' : ''}` : '';
    const own = isKnown ? `${feature.stage} ${state}` : '';
    const isSo = expected.some((fact) => fact === own || (isKnown && fact === `${feature.stage} `));
    return isSo
      ? []
      : [`${name} 1.${String(minor)}: ${expected.join(' or ') || 'none'}, here ${own || 'none'}`];
  });
}

test.each(minors)('stages of gates in 1.%i', (minor) => {
  expect(unexplained(differingStages(minor), gateExceptions)).toEqual([]);
});

test('each exception of gates is one', () => {
  const lines = [
    ...minors.flatMap(differingStages),
    'core/v1.PodSpec.hostUsers guarded by UserNamespacesSupport',
  ];
  expect(needless(lines, gateExceptions)).toEqual([]);
});

/** Gated fields of a release, each as `type.field`. */
function gatedFields(minor: number): Map<string, { readonly gate: string; readonly isRequired: boolean }> {
  const types = loadCatalogueSchemas(naming, minor);
  return new Map(
    types.names().flatMap((name) => {
      const struct = types.find(name);
      if (struct?.type !== 'struct') return [];
      return [...struct.fields.values()].flatMap(({ name: field, gate, required }) =>
        gate === undefined ? [] : [[`${name}.${field}`, { gate, isRequired: required }] as const],
      );
    }),
  );
}

/** First releases of types that 1.21 does not have; the stored version may be there before it is served. */
const typesSince = new Map(
  factsOf('lives').flatMap(({ type = '', field, since = '' }) =>
    field === '' ? [[type, minorOf(since)]] : [],
  ),
);

test('no gate guards a field that is older than it', () => {
  const firstOfGate = new Map<string, number>();
  const older = new Set<string>();
  for (const minor of minors) {
    for (const { name, isUnknown } of featuresOf(releaseOf(minor)))
      if (isUnknown !== true && !firstOfGate.has(name)) firstOfGate.set(name, minor);
    for (const [field, { gate }] of gatedFields(minor)) {
      const hasType = minor >= (typesSince.get(field.replace(/\.[^.]*$/, '')) ?? 0);
      if (hasType && !firstOfGate.has(gate)) older.add(`${field} guarded by ${gate}`);
    }
  }
  expect(unexplained([...older], gateExceptions)).toEqual([]);
});

test('no field that a client must give is guarded', () => {
  const required = minors.flatMap((minor) =>
    [...gatedFields(minor)].filter(([, { isRequired }]) => isRequired),
  );
  expect([...new Set(required.map(([field]) => field))]).toEqual([]);
});

const claimed: JsonObject = {
  spec: {
    containers: [{ name: 'main', image: 'nginx:1' }],
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }],
  },
};
const selecting: JsonObject = { spec: { selectors: [{ cel: { expression: 'device.driver == "a"' } }] } };
const matching: JsonObject = {
  spec: {
    devices: { requests: [], constraints: [{ requests: ['a'], matchAttribute: 'dra.example.com/numa' }] },
  },
};
const failing: JsonObject = {
  spec: {
    template: { spec: { containers: [{ name: 'main', image: 'nginx:1' }], restartPolicy: 'Never' } },
    podFailurePolicy: {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    },
  },
};

/** Of what a release has on, all is stored. */
test.each<[string, string, JsonObject, number]>([
  ['pods', 'resourceClaimTemplateName', claimed, 34],
  ['deviceclasses.resource', 'expression', selecting, 32],
  ['resourceclaims.resource', 'matchAttribute', matching, 32],
  ['jobs.batch', 'action', failing, 26],
])('%s keep %s with the gates of each release', (name, field, sent, since) => {
  for (let minor = Math.max(since, oldest); minor <= newest; minor += 1) {
    const release = releaseOf(minor);
    const kind = new Kind(name, contextWith({ release }), release);
    const gates = createFeatureGates({}, featuresOf(release));
    const object = asJson(kind.decode({ metadata: { name: 'a' }, ...sent }));
    dropGatedFields(kind.schema, object, (gate) => gates.isEnabled(gate));
    expect([minor, JSON.stringify(object).includes(`"${field}"`)]).toEqual([minor, true]);
  }
});
