/** Debug endpoints of API Priority and Fairness: the current state of this process as text. */
import type { FlowDumps } from '../../flowcontrol/debug-dump.ts';
import { sendText } from '../respond.ts';
import type { PlainRoute } from './plain-route.ts';

const folder = '/debug/api_priority_and_fairness';

/** As in kube-apiserver, they are not listed at `/`. */
export function flowControlRoutes(dumps: FlowDumps): PlainRoute[] {
  const listed = (): readonly string[] => [];
  return [
    {
      path: `${folder}/dump_priority_levels`,
      listed,
      serve: (context) => {
        sendText(context, 200, dumps.levels());
      },
    },
    {
      path: `${folder}/dump_queues`,
      listed,
      serve: (context) => {
        sendText(context, 200, dumps.queues());
      },
    },
    {
      path: `${folder}/dump_requests`,
      listed,
      serve: (context) => {
        sendText(context, 200, dumps.requests(context.query.get('includeRequestDetails') !== ''));
      },
    },
  ];
}
