import { definePlugin, KERNEL_API, NodeDescription, NodeSelf } from '../../kernel/plugin-api.ts';
import { createDocument } from './create-document.ts';
import { documentRoute } from './document-routes.ts';
import { KeptDocument } from './kept-document.ts';

const VERSION = '0.9.0-alpha.1';

export const openapiPlugin = definePlugin({
  name: 'openapi',
  version: VERSION,
  kernelApi: KERNEL_API,
  summary: 'Describes the API of this node: as OpenAPI, as a page to read, and to its operator',
  requires: { self: NodeSelf, description: NodeDescription },
  setup({ use, route }) {
    const { self, description } = use;
    const readDocument = async () =>
      createDocument({
        described: await description.read(),
        names: self.names,
        nodeUrl: self.nodeUrl,
        version: VERSION,
      });
    const document = new KeptDocument('application/json', async () => JSON.stringify(await readDocument()));
    route(documentRoute(document, 'open'));
    route(documentRoute(document, 'api'));
  },
});
