import { definePlugin, KERNEL_API, NodeSelf, ServiceError } from '../../kernel/plugin-api.ts';
import * as events from './federation-events.ts';
import { federationSettings } from './federation-settings.ts';
import * as words from './federation-words.ts';

export const federationPlugin = definePlugin({
  name: 'federation',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Exchanges facts with other nodes, each as far as both sides have declared; off until it is enabled',
  requires: { self: NodeSelf },
  declares: [...Object.values(words), ...Object.values(events)],
  config: federationSettings,
  setup({ config, use: { self } }) {
    if (config.enabled && !config.insecure && !self.nodeUrl.startsWith('https:')) {
      throw new ServiceError('validation', 'federation is on, and peers would reach this node by plain http', {
        hint: 'set SVC_NODE_URL to the https address of the node, or, for a test, SVC_FEDERATION_INSECURE=true',
      });
    }
  },
});
