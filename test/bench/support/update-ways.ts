/** Ways of changing a stored pod. */
import type { ApiObject } from '../../support/client.ts';
import { podTemplate } from './pod.ts';

export interface Way {
  readonly name: string;
  readonly method: 'PUT' | 'PATCH';
  readonly contentType: string;
  readonly query: string;
  /** The body; `##` gives each request something new to say, `^^` is the name of its pod. */
  readonly body: (pod: ApiObject) => object;
}

const annotations = { sent: '##' };

/** Says all of the pod, as its owner would. */
export const applying = {
  ...{ name: 'apply', method: 'PATCH', contentType: 'application/apply-patch+yaml' },
  query: '?fieldManager=bench&force=true',
  body: () => {
    const pod = JSON.parse(podTemplate) as ApiObject;
    const { name: _name, ...metadata } = pod.metadata;
    return { ...pod, metadata };
  },
} as const satisfies Way;

export const ways: readonly Way[] = [
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
  applying,
];
