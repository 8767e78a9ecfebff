import { Gauge, Registry } from 'prom-client';

/** The metrics of one process, in the Prometheus text format. */
export interface Metrics {
  registry: Registry;
  /** The page a Prometheus server scrapes. */
  render(): Promise<Response>;
}

/** A registry with what every process reports of itself; each part adds its own. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const started = Date.now();
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process.',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this process started.',
    registers: [registry],
    collect() {
      this.set(started / 1000);
    },
  });
  const cpu = new Gauge({
    name: 'process_cpu_seconds',
    help: 'Processor time used by this process.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      cpu.set((user + system) / 1e6);
    },
  });
  return {
    registry,
    async render() {
      return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } });
    },
  };
}
