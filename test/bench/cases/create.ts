/** Creations, against a raw loop of the same etcd transactions with values of the same size. */
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, stored } from '../support/lab.ts';
import { podNamed, podTemplate } from '../support/pod.ts';
import { compareWrites } from './write-sides.ts';

export const createCase: BenchCase = {
  name: 'create, 32 connections',
  unit: 'requests',
  run: async (lab) => {
    const answer = await lab.replica.admin.get(`${stored}/pod-1`);
    check(answer.status === 200, 'a stored pod can be read');
    const created = await lab.replica.admin.post(podsIn('created'), podNamed('verified'));
    check(created.status === 201 && created.json().metadata.name === 'verified', 'a creation gives the pod');
    return compareWrites(lab, {
      ...{ method: 'POST', paths: [podsIn('created')], body: podTemplate, namePrefix: 'new', expect: 201 },
      stored: answer.body,
    });
  },
};
