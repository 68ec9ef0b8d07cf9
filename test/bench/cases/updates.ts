/** Ways of changing a stored pod, against a raw loop of the same etcd transactions with values of the same size. */
import type { ApiObject } from '../../support/client.ts';
import { check, type BenchCase } from '../support/case.ts';
import { stored, type Lab } from '../support/lab.ts';
import { podTemplate } from '../support/pod.ts';
import { compareWrites } from './write-sides.ts';

interface Way {
  readonly name: string;
  readonly method: 'PUT' | 'PATCH';
  readonly contentType: string;
  readonly query: string;
  /** The body; `##` gives each request something new to say, `^^` is the name of its pod. */
  readonly body: (pod: ApiObject) => object;
}

const annotations = { sent: '##' };

const ways: readonly Way[] = [
  {
    ...{ name: 'replace', method: 'PUT', contentType: 'application/json', query: '' },
    body: ({ metadata, ...pod }) => {
      const { labels = {}, annotations: others = {} } = metadata;
      return { ...pod, metadata: { name: '^^', labels, annotations: { ...others, ...annotations } } };
    },
  },
  {
    ...{ name: 'merge patch', method: 'PATCH', contentType: 'application/merge-patch+json', query: '' },
    body: () => ({ metadata: { annotations } }),
  },
  {
    ...{ name: 'strategic merge patch', method: 'PATCH', query: '' },
    contentType: 'application/strategic-merge-patch+json',
    body: () => ({ metadata: { annotations }, spec: { containers: [{ name: 'main', image: 'image:##' }] } }),
  },
  {
    ...{ name: 'apply', method: 'PATCH', contentType: 'application/apply-patch+yaml' },
    query: '?fieldManager=bench&force=true',
    body: () => {
      const pod = JSON.parse(podTemplate) as ApiObject;
      const { name: _name, ...metadata } = pod.metadata;
      return { ...pod, metadata };
    },
  },
];

function updateCase(way: Way): BenchCase {
  return {
    name: `${way.name}, 32 connections`,
    unit: 'requests',
    run: (lab) => compareUpdates(lab, way),
  };
}

async function compareUpdates(lab: Lab, way: Way): ReturnType<BenchCase['run']> {
  const { replica } = lab;
  const pod = await replica.admin.ok('GET', `${stored}/pod-1`);
  const body = JSON.stringify(way.body(pod));
  const { method, contentType, query } = way;
  const proof = body.replace('^^', 'pod-1').replaceAll('##', 'proof').replaceAll('%%', '0');
  const headers = { 'content-type': contentType };
  const answer = await replica.admin.request(method, `${stored}/pod-1${query}`, proof, headers);
  check(
    answer.status === 200,
    `a ${way.name} answers 200, not ${answer.status}: ${answer.text.slice(0, 300)}`,
  );
  check(answer.json().metadata.annotations?.['sent'] === 'proof', `a ${way.name} changes the pod`);
  const paths = Array.from({ length: lab.options.pods }, (_, index) => `${stored}/pod-${index + 1}${query}`);
  return compareWrites(lab, { method, contentType, paths, body, expect: 200, stored: answer.body });
}

export const updateCases: Readonly<Record<string, BenchCase>> = Object.fromEntries(
  ways.map((way) => [way.name.replaceAll(' ', '-'), updateCase(way)]),
);
