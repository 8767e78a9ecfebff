import { ATTACK_PROFILES, type AttackProfile, launch } from './attacks.ts';
import { comparisonOf, failuresIn, letBystandersAct, publishForBystanders } from './bystanders.ts';

/** Time for the attack to take hold before it is measured, in ms. */
const TAKE_HOLD_MS = 20_000;

/**
 * Nine clients publish and read for half of the time, then go on while one misbehaves. Returns whether none of them had
 * an error meanwhile; how long they took is printed and left to who reads it.
 */
export async function runAttack(url: string, profile: AttackProfile, minutes: number): Promise<boolean> {
  const published = await publishForBystanders(url);
  const seconds = minutes * 30;
  await letBystandersAct(url, published, 5);
  const before = await letBystandersAct(url, published, seconds);
  const attacks = ATTACK_PROFILES[profile](published.largePath);
  const running = attacks.map((attack) => launch(url, attack));
  try {
    await Bun.sleep(TAKE_HOLD_MS);
    const during = await letBystandersAct(url, published, seconds);
    process.stdout.write(comparisonOf(before, during));
    for (const [index, attack] of attacks.entries()) {
      const connections = running[index];
      if (connections === undefined) continue;
      const statuses = [...connections.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      process.stdout.write(
        `${attack.name}: ${connections.open()} connections open, ${connections.ended()} ended; answers: ${statuses || 'none'}\n`,
      );
    }
    return failuresIn(during).length === 0;
  } finally {
    for (const connections of running) connections.stop();
  }
}
