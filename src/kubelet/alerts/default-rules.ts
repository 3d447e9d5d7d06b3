/**
 * The alert rules that ship with podkeep, in the format of rule files. They use only
 * values that every node has.
 */
export const DEFAULT_RULES = `
groups:
  - name: podkeep-pods
    rules:
      - alert: ContainerCrashLooping
        expr: container.waitingReason == 'CrashLoopBackOff' && container.restartCount >= 3
        keepFiringFor: 6m
        labels: { severity: warning }
        annotations:
          summary: "Container {{ container.name }} of pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} crashes again and again"
          description: "{{ container.restartCount }} restarts; the last exit code was {{ container.exitCode }}."
      - alert: ContainerOomKilled
        expr: container.recentOomKills > 0
        labels: { severity: warning }
        annotations:
          summary: "Container {{ container.name }} of pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} was killed: it exceeded its memory limit"
      - alert: ImageCannotBePulled
        expr: container.waitingReason in ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: "Image of container {{ container.name }} of pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} cannot be pulled"
          description: "{{ container.waitingMessage }}"
      - alert: ProbeFlapping
        expr: container.recentReadyChanges >= 6 && container.recentRestarts == 0
        labels: { severity: warning }
        annotations:
          summary: "Container {{ container.name }} of pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} changed its readiness {{ container.recentReadyChanges }} times in 10 minutes"
      - alert: PodStuckPending
        expr: has(pod.status.phase) && pod.status.phase == 'Pending' && !has(pod.metadata.deletionTimestamp)
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: "Pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} is Pending for more than 10 minutes"
      - alert: PodStuckTerminating
        expr: has(pod.metadata.deletionTimestamp) && now > pod.metadata.deletionTimestamp + duration('5m')
        labels: { severity: warning }
        annotations:
          summary: "Pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} should have ended 5 minutes ago"
      - alert: VolumeFilling
        expr: volumes.exists(v, v.used > 0.9)
        for: 1m
        labels: { severity: warning }
        annotations:
          summary: "A volume of pod {{ pod.metadata.namespace }}/{{ pod.metadata.name }} is more than 90 % full"
          description: "{{ volumes.filter(v, v.used > 0.9).map(v, v.name).join(', ') }}"
  - name: podkeep-node
    rules:
      - alert: NodeUnderPressure
        expr: >-
          node.?status.?conditions.orValue([]).exists(c,
          c.type in ['MemoryPressure', 'DiskPressure', 'PIDPressure'] && c.status == 'True')
        labels: { severity: critical }
        annotations:
          summary: "The node is short of memory, disk or process IDs"
      - alert: StatusWritesLagging
        expr: metrics.statusWriteLagSeconds > 60.0
        labels: { severity: warning }
        annotations:
          summary: "A pod status waits for more than {{ metrics.statusWriteLagSeconds }} s to be written to the API server"
      - alert: ApiUnreachable
        expr: metrics.apiSilentSeconds > 60.0
        labels: { severity: critical }
        annotations:
          summary: "The API server has not answered for {{ metrics.apiSilentSeconds }} s"
      - alert: CertificateExpiring
        expr: >-
          has(metrics.clientCertificateSeconds) && metrics.clientCertificateSeconds < 86400.0 ||
          has(metrics.servingCertificateSeconds) && metrics.servingCertificateSeconds < 86400.0
        labels: { severity: critical }
        annotations:
          summary: "A certificate of the node expires within a day"
      - alert: ClockSkewed
        expr: has(metrics.clockSkewSeconds) && (metrics.clockSkewSeconds > 5.0 || metrics.clockSkewSeconds < -5.0)
        for: 2m
        labels: { severity: warning }
        annotations:
          summary: "The clock of the node differs from that of the API server by {{ metrics.clockSkewSeconds }} s"
`;
