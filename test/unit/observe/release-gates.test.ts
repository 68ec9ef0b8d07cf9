/** The gates of each release: names, stages, defaults, and what can be set. */
import { createFeatureGates, knownFeatures, type Feature } from '../../../src/observe/feature-gates.ts';
import { gateHistory } from '../../../src/observe/gate-history.ts';
import { inertGateHistory } from '../../../src/observe/inert-gate-history.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { newestRelease, type Release } from '../../../src/observe/release.ts';

const release = (minor: number): Release => ({ major: 1, minor });
const every = Array.from({ length: newestRelease.minor - 20 }, (_, index) => release(21 + index));
const gatesOf = (minor: number, settings = {}) => createFeatureGates(settings, featuresOf(release(minor)));
const isSettable = ({ isUnknown }: Feature): boolean => isUnknown !== true;

/** How many gates each release registers, as counted in its sources. */
const counts: Readonly<Record<number, number>> = {
  ...{ 21: 125, 22: 128, 23: 139, 24: 139, 25: 141, 26: 146, 27: 148, 28: 153 },
  ...{ 29: 161, 30: 168, 31: 166, 32: 178, 33: 190, 34: 206, 35: 216, 36: 240 },
};

test('every release knows as many gates as its sources, and the one that this server has of its own until 1.34', () => {
  const found = every.map(({ minor }) => [minor, featuresOf(release(minor)).filter(isSettable).length]);
  expect(Object.fromEntries(found)).toEqual(counts);
});

test('the two lists have no name in common, and are in order', () => {
  const acted = Object.keys(gateHistory);
  const inert = Object.keys(inertGateHistory);
  expect(acted.filter((name) => Object.hasOwn(inertGateHistory, name))).toEqual([]);
  expect([acted, inert]).toEqual([acted.toSorted(), inert.toSorted()]);
});

test('each word of a history is one that is understood', () => {
  const words = [...Object.values(gateHistory), ...Object.values(inertGateHistory)]
    .flatMap((life) => life.split(', '))
    .filter(
      (step) =>
        !/^(?:(?:alpha|beta|ga|deprecated)(?:-on|-off)?|locked(?:-off)?|gone|unnamed) 1\.[23]\d$/.test(step),
    );
  expect(words).toEqual([]);
});

test('what the help says of the gates of 1.21 is what the history says', () => {
  const byName = new Map(featuresOf(release(21)).map((feature) => [feature.name, feature]));
  const differ = knownFeatures.filter(({ name, stage, isLocked }) => {
    const listed = byName.get(name);
    return listed?.stage !== stage || listed.isLocked !== isLocked;
  });
  expect(differ).toEqual([]);
});

test('defaults of the newest release', () => {
  const gates = gatesOf(36);
  const on = [
    'ComponentStatusz',
    'ComponentFlagz',
    'DRADeviceTaints',
    'APIServerIdentity',
    'NodeDeclaredFeatures',
  ];
  const off = ['MaxUnavailableStatefulSet', 'SELinuxMount', 'MutablePVNodeAffinity', 'DRADeviceTaintRules'];
  expect(on.filter((name) => !gates.isEnabled(name))).toEqual([]);
  expect(off.filter((name) => gates.isEnabled(name))).toEqual([]);
});

test.each([
  ['ComponentStatusz', 35, 36],
  ['MaxUnavailableStatefulSet', 34, 35],
  ['APIServerIdentity', 25, 26],
  ['CronJobTimeZone', 24, 25],
])('%s is off in 1.%d and on in 1.%d', (name, before, since) => {
  expect([gatesOf(before).isEnabled(name), gatesOf(since).isEnabled(name)]).toEqual([false, true]);
});

test('a gate is refused before and after its life, and accepted within', () => {
  const name = 'KubeletTracing';
  expect(() => gatesOf(24, { [name]: true })).toThrow(`unknown feature gate ${name}`);
  expect(gatesOf(25, { [name]: true }).isEnabled(name)).toBe(true);
  expect(() => gatesOf(21, { CronJobTimeZone: true })).toThrow('unknown');
  expect(() => gatesOf(29, { CronJobTimeZone: true })).toThrow('unknown');
  expect(gatesOf(29).isEnabled('CronJobTimeZone')).toBe(true);
});

test('what is there before its gate is on, and cannot be switched', () => {
  const name = 'OpenAPIV3';
  expect([21, 22, 23, 24].map((minor) => gatesOf(minor).isEnabled(name))).toEqual([true, true, false, true]);
  expect(gatesOf(22, { AllAlpha: false, AllBeta: false }).isEnabled(name)).toBe(true);
  expect(gatesOf(22).all().has(name)).toBe(false);
  expect(() => gatesOf(22, { [name]: false })).toThrow(`unknown feature gate ${name}`);
});

test('a locked gate takes its own value only, also one that is locked off', () => {
  expect(() => gatesOf(34, { WatchList: true, AuthorizeWithSelectors: false })).toThrow('locked to true');
  expect(() => gatesOf(36, { GitRepoVolumeDriver: true })).toThrow('locked to false');
  expect(gatesOf(36, { GitRepoVolumeDriver: false }).isEnabled('GitRepoVolumeDriver')).toBe(false);
});

test('AllBeta and AllAlpha leave gates of other stages as they are', () => {
  const gates = gatesOf(22, { AllBeta: false, AllAlpha: true });
  expect(gates.isEnabled('ServerSideApply')).toBe(true);
  expect(gates.isEnabled('SuspendJob')).toBe(false);
  expect(gates.isEnabled('StatefulSetMinReadySeconds')).toBe(true);
  expect(gates.isEnabled('DynamicKubeletConfig')).toBe(false);
});

test('all() tells the gates of the release, not those of others', () => {
  const { size } = gatesOf(36).all();
  expect([size, gatesOf(36).all().has('CronJobTimeZone')]).toEqual([counts[36], false]);
});
