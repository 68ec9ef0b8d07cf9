/** An answer of a control plane in another form than that of its own client. */
import { request } from 'node:https';
import type { ControlPlane } from '../../../../src/testing/index.ts';

/** GETs a path as the administrator. @param accept the media type @returns the body, parsed */
export async function answerIn(plane: ControlPlane, path: string, accept: string): Promise<unknown> {
  const { user } = plane.kubeconfig().users[0] ?? {};
  const pem = (data = ''): string => Buffer.from(data, 'base64').toString();
  const text = await new Promise<string>((resolve, reject) => {
    request(
      plane.url + path,
      {
        ...{ ca: plane.ca, headers: { accept } },
        cert: pem(user?.['client-certificate-data']),
        key: pem(user?.['client-key-data']),
      },
      (response) => {
        const parts: Buffer[] = [];
        response
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () => {
            resolve(Buffer.concat(parts).toString());
          });
      },
    )
      .on('error', reject)
      .end();
  });
  return JSON.parse(text);
}

/** A list as kubectl asks for it. */
export const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
