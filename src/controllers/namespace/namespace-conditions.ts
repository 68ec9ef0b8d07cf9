/** What is left of a terminating namespace, as conditions of its status (core/v1 NamespaceCondition). */
import { shortText } from '../../base/short-text.ts';
import { transitionTime } from '../../meta/transition-time.ts';

export interface Remaining {
  /** Resource name → number of objects. */
  readonly objects: ReadonlyMap<string, number>;
  /** Finalizer → number of objects that wait for it. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Resources that could not be listed or deleted, with the reason. */
  readonly failures: readonly string[];
  /** Set when discovery failed. */
  readonly discoveryFailure: string;
}

export interface NamespaceCondition {
  type: string;
  status: 'True' | 'False';
  lastTransitionTime: string;
  reason: string;
  message: string;
}

interface Finding {
  readonly type: string;
  readonly trouble: string;
  readonly badReason: string;
  readonly goodReason: string;
  readonly goodMessage: string;
}

/** Conditions for what remains; a transition time changes only with the status. */
export function namespaceConditions(
  remaining: Remaining,
  before: readonly NamespaceCondition[],
  now: string,
): NamespaceCondition[] {
  const made = findings(remaining).map((finding) => toCondition(finding, before, now));
  const others = before.filter((c) => !made.some((m) => m.type === c.type));
  return [...others, ...made];
}

function findings(remaining: Remaining): Finding[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      trouble: remaining.discoveryFailure,
      badReason: 'DiscoveryFailed',
      goodReason: 'ResourcesDiscovered',
      goodMessage: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      trouble: '',
      badReason: 'GroupVersionParsingFailed',
      goodReason: 'ParsedGroupVersions',
      goodMessage: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      trouble: describeFailures(remaining.failures),
      badReason: 'ContentDeletionFailed',
      goodReason: 'ContentDeleted',
      goodMessage: 'All content successfully deleted, may be waiting on finalization',
    },
    {
      type: 'NamespaceContentRemaining',
      trouble: describe(
        'Some resources are remaining: ',
        remaining.objects,
        (name, n) => `${name} has ${n} resource instances`,
      ),
      badReason: 'SomeResourcesRemain',
      goodReason: 'ContentRemoved',
      goodMessage: 'All content successfully removed',
    },
    {
      type: 'NamespaceFinalizersRemaining',
      trouble: describe(
        'Some content in the namespace has finalizers remaining: ',
        remaining.finalizers,
        (name, n) => `${name} in ${n} resource instances`,
      ),
      badReason: 'SomeFinalizersRemain',
      goodReason: 'ContentHasNoFinalizers',
      goodMessage: 'All content-preserving finalizers finished',
    },
  ];
}

function describeFailures(failures: readonly string[]): string {
  if (failures.length === 0) return '';
  const opening = `Failed to delete all resource types, ${String(failures.length)} remaining: `;
  return opening + bounded([...failures].sort());
}

/** Names come from clients and from other servers; a status must stay small. */
const mostLines = 100;

function bounded(lines: readonly string[]): string {
  const more = lines.length - mostLines;
  const shown = lines.slice(0, mostLines).map((line) => shortText(line));
  return [...shown, ...(more > 0 ? [`and ${String(more)} more`] : [])].join(', ');
}

function describe(
  opening: string,
  counts: ReadonlyMap<string, number>,
  line: (name: string, count: string) => string,
): string {
  const lines = [...counts].filter(([, n]) => n > 0).map(([name, n]) => line(name, String(n)));
  return lines.length === 0 ? '' : opening + bounded(lines.sort());
}

function toCondition(
  finding: Finding,
  before: readonly NamespaceCondition[],
  now: string,
): NamespaceCondition {
  const { type, trouble } = finding;
  const status = trouble === '' ? 'False' : 'True';
  const former = before.find((c) => c.type === type);
  return {
    type,
    status,
    lastTransitionTime: transitionTime(former, status, now),
    reason: trouble === '' ? finding.goodReason : finding.badReason,
    message: trouble === '' ? finding.goodMessage : trouble,
  };
}
