/** Ways of changing a stored pod, against a raw loop of the same etcd transactions with values of the same size. */
import { check, type BenchCase } from '../support/case.ts';
import { stored, type Lab } from '../support/lab.ts';
import { ways, type Way } from '../support/update-ways.ts';
import { compareWrites } from './write-sides.ts';

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
