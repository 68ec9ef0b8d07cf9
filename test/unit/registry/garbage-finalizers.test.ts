import { finalizersForDeletion } from '../../../src/registry/write/garbage-finalizers.ts';
import type { DeleteOptions } from '../../../src/registry/types.ts';

const none: DeleteOptions = {
  ...{
    gracePeriodSeconds: undefined,
    propagationPolicy: undefined,
    orphanDependents: undefined,
    preconditions: undefined,
  },
};

const cases: {
  name: string;
  current: string[];
  options: Partial<DeleteOptions>;
  policy: 'Orphan' | 'Background';
  want: string[];
}[] = [
  { name: 'background by default', current: [], options: {}, policy: 'Background', want: [] },
  { name: 'orphaning by default', current: [], options: {}, policy: 'Orphan', want: ['orphan'] },
  {
    name: 'foreground when asked',
    current: ['a/b'],
    options: { propagationPolicy: 'Foreground' },
    policy: 'Orphan',
    want: ['a/b', 'foregroundDeletion'],
  },
  {
    name: 'orphaning when asked',
    current: [],
    options: { propagationPolicy: 'Orphan' },
    policy: 'Background',
    want: ['orphan'],
  },
  {
    name: 'background when asked takes both away',
    current: ['orphan', 'foregroundDeletion', 'a/b'],
    options: { propagationPolicy: 'Background' },
    policy: 'Orphan',
    want: ['a/b'],
  },
  {
    name: 'what is set stays when nothing is asked',
    current: ['foregroundDeletion'],
    options: {},
    policy: 'Orphan',
    want: ['foregroundDeletion'],
  },
  {
    name: 'the older option asks for orphaning',
    current: [],
    options: { orphanDependents: true },
    policy: 'Background',
    want: ['orphan'],
  },
  {
    name: 'the older option asks against it',
    current: [],
    options: { orphanDependents: false },
    policy: 'Orphan',
    want: [],
  },
  {
    name: 'a change of mind',
    current: ['orphan'],
    options: { propagationPolicy: 'Foreground' },
    policy: 'Background',
    want: ['foregroundDeletion'],
  },
];

test.each(cases)('$name', ({ current, options, policy, want }) => {
  expect(finalizersForDeletion(current, { ...none, ...options }, policy)).toEqual(want);
});
