import { objectSchema } from '../../kernel/internal-api.ts';
import { PROFILES, type ToolChoice } from './listed-tools.ts';

export const mcpSettings = objectSchema<ToolChoice>({
  profile: {
    type: 'string',
    enum: PROFILES,
    default: 'core',
    env: 'SVC_MCP_PROFILE',
    description: 'Tools that `/v1/mcp` offers: `core`, the nine that every agent needs, or `extended`, all of them.',
  },
  readOnly: {
    type: 'boolean',
    default: false,
    env: 'SVC_MCP_READ_ONLY',
    description: 'Leaves all tools that write out of `/v1/mcp`, whatever the key may do elsewhere.',
  },
});
