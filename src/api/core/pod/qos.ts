/** Quality of service class: what a pod was promised decides what is taken from it first. */
import { compareQuantities } from '../../validation/quantities.ts';
import type { Container, PodSpec } from '../v1.types.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const counted = ['cpu', 'memory'];

type Resources = Readonly<Record<string, string>> | null | undefined;

function named(resources: Resources): [string, string][] {
  return Object.entries(resources ?? {}).filter(
    ([name, quantity]) => counted.includes(name) && compareQuantities(quantity, '0') > 0,
  );
}

/** Every counted resource is limited, and nothing less is requested. */
function isGuaranteed({ resources }: Pick<Container, 'resources'>): boolean {
  const limits = new Map(named(resources?.limits));
  const requests = named(resources?.requests);
  return (
    counted.every((name) => limits.has(name)) &&
    requests.every(([name, quantity]) => compareQuantities(quantity, limits.get(name) ?? '0') === 0)
  );
}

/** The class of a pod by the CPU and memory that it, or else its containers, request and are limited to. */
export function qosClassOf(spec: PodSpec | null | undefined): QosClass {
  const { requests, limits } = spec?.resources ?? {};
  const isOne = Object.keys({ ...requests, ...limits }).length > 0;
  const containers: readonly Pick<Container, 'resources'>[] =
    spec && isOne ? [spec] : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const requestsNothing = containers.every(
    ({ resources }) => named(resources?.limits).length === 0 && named(resources?.requests).length === 0,
  );
  if (requestsNothing) return 'BestEffort';
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}
