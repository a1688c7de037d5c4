import { expect } from 'chai';
import { isBrowserInstalled } from '../../kit/browser.ts';
import { type ConsoleBrowser, type ConsolePage, startConsoleBrowser } from './console-browser.ts';
import { storeHostileFacts, storeManyFacts } from './hostile-memory.ts';

const ROLES: Readonly<Record<string, readonly string[]>> = {
  reader: ['read'],
  writer: ['read', 'write'],
  auditor: ['read', 'audit.read'],
  admin: ['read', 'write', 'admin', 'audit.read', 'federate', 'instruction:write'],
};

const PHONE = { width: 390, height: 844 };

/** Addresses of the screens that are offered, as the navigation says. */
const offeredTo = ({ page }: ConsolePage): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    '[...document.querySelectorAll("nav a")].map(({ pathname }) => pathname.slice("/console/".length))',
  );

const spillsSideways = ({ page }: ConsolePage): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1');

if (isBrowserInstalled()) {
  describe('every screen of the console', function () {
    this.timeout(600_000);
    let console: ConsoleBrowser;
    before(async () => {
      console = await startConsoleBrowser({ SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' });
      await storeManyFacts(console.served);
      await storeHostileFacts(console.served);
    });
    after(() => console?.stop());

    for (const [role, permissions] of Object.entries(ROLES)) {
      it(`opens for a key of a ${role}, with 100,000 facts and hostile ones, without a fault`, async () => {
        const key = await console.keyFor(`agent:${role}`, permissions);
        const visit = await console.visit(key);
        const screens = await offeredTo(visit);
        expect(screens).to.include.members(['overview', 'facts', 'contradictions', 'recall']);
        const findings: Record<string, readonly string[]> = {};
        for (const screen of screens) {
          await visit.open(screen);
          const serious = await visit.seriousFindings();
          if (serious.length > 0) findings[screen] = serious;
          expect(await visit.page.locator('main .problem').count(), `${screen} has no problem`).to.equal(0);
        }
        expect(findings).to.deep.equal({});
        expect(visit.faults).to.deep.equal([]);
        expect(await visit.page.evaluate('window.wasRun')).to.equal(undefined);
      });
    }

    it('stays within the width of a phone, in the dark too', async () => {
      const visit = await console.visit(console.served.adminKey, { viewport: PHONE, colorScheme: 'dark' });
      const wide: string[] = [];
      for (const screen of await offeredTo(visit)) {
        await visit.open(screen);
        if (await spillsSideways(visit)) wide.push(screen);
        expect(await visit.seriousFindings(), screen).to.deep.equal([]);
      }
      expect(wide).to.deep.equal([]);
    });
  });
}
