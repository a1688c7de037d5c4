import { defineOwnPlugin, NODE_VERSION } from '../../kernel/internal-api.ts';
import { NodeDescription, NodeSelf, NodeSettings } from '../../kernel/plugin-api.ts';
import { createDocument } from './create-document.ts';
import { documentRoute, entranceRoute, referenceRoute } from './document-routes.ts';
import { createEntrance, entrancePage } from './entrance.ts';
import { KeptDocument } from './kept-document.ts';
import { nodeRoute } from './node-route.ts';
import { referencePage } from './reference-page.ts';

export const openapiPlugin = defineOwnPlugin({
  name: 'openapi',
  summary: 'Describes the API of this node: as OpenAPI, as a page to read, and to its operator',
  requires: { self: NodeSelf, node: NodeSettings, description: NodeDescription },
  setup({ use, route }) {
    const { self, node, description } = use;
    const { displayName } = node;
    const { names, nodeUrl } = self;
    const readDocument = async () =>
      createDocument({ described: await description.read(), displayName, names, nodeUrl, version: NODE_VERSION });
    const readEntrance = async () => createEntrance(names.name, NODE_VERSION, (await description.read()).routes);
    const json = (make: () => Promise<unknown>) =>
      new KeptDocument('application/json', async () => JSON.stringify(await make()));
    const page = (make: () => Promise<string>) => new KeptDocument('text/html; charset=utf-8', make);
    const document = json(readDocument);
    route(documentRoute(document, 'open'));
    route(documentRoute(document, 'api'));
    route(referenceRoute(page(async () => referencePage(await readDocument()))));
    route(nodeRoute(description));
    route(entranceRoute({ page: page(async () => entrancePage(await readEntrance())), json: json(readEntrance) }));
  },
});
