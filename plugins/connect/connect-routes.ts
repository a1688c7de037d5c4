import { listOf, objectOf, type Route, STRING_JSON } from '../../kernel/plugin-api.ts';
import { readClientLines } from './client-lines.ts';

const CLIENTS_JSON = objectOf({
  clients: listOf(
    objectOf({
      name: STRING_JSON,
      title: STRING_JSON,
      transport: { type: 'string', enum: ['stdio', 'http'] },
      command: STRING_JSON,
      files: listOf(STRING_JSON),
      text: STRING_JSON,
      remarks: listOf(STRING_JSON),
    }),
  ),
});

/** `GET /v1/connect/clients`: the lines of the command `connect`, for those who write them by hand. */
export const connectClientsRoute: Route = {
  method: 'GET',
  path: '/v1/connect/clients',
  summary: 'The lines that connect each known client, with {address} where the address of the node goes',
  access: { permission: 'read' },
  answers: { 200: { json: CLIENTS_JSON } },
  example: {},
  handle: async () => ({ status: 200, body: { clients: await readClientLines() } }),
};
