import { ownWords } from './own-words.js'

const en = {
  title: 'Terminal',
  in: (pod: string, cluster: string) => `Terminal in ${pod} of ${cluster}`,
  region: 'Terminal. Press Ctrl+Alt+T to leave it with the keyboard.',
  leave: 'Ctrl+Alt+T leaves the terminal.',
  command: 'Command',
  container: 'Container',
  incomplete: 'This address names no pod. Open a terminal from a pod of a workload.',
  asked: 'The address of this page names a command. It runs in your name once you start it.',
  start: 'Start',
  again: 'Start again',
  end: 'End',
  flood: 'The program writes faster than this page can show. Ended.',
  broke: (code: number) =>
    `The connection broke (${code}). Check that Kairship and the cluster can be reached.`,
  missing: (bytes: number) =>
    `[${(bytes / 1e6).toFixed(1)} MB of output are missing here: this tab was hidden]`,
  states: {
    asked: 'Not started',
    connecting: 'Connecting',
    open: 'Open',
    ended: 'Ended',
    code: (code: number) => `Ended with code ${code}`,
  },
}

const zh: typeof en = {
  title: '终端',
  in: (pod, cluster) => `${cluster} 中 ${pod} 的终端`,
  region: '终端。按 Ctrl+Alt+T 可用键盘离开。',
  leave: 'Ctrl+Alt+T 离开终端。',
  command: '命令',
  container: '容器',
  incomplete: '此地址没有指定 Pod。请从工作负载的 Pod 打开终端。',
  asked: '此页的地址带有一条命令。启动后，它才以你的身份运行。',
  start: '启动',
  again: '重新开始',
  end: '结束',
  flood: '程序输出过快，本页无法显示，已结束。',
  broke: code => `连接已中断（${code}）。请确认 Kairship 和集群可以访问。`,
  missing: bytes => `[此处缺少 ${(bytes / 1e6).toFixed(1)} MB 输出：此标签页曾被隐藏]`,
  states: {
    asked: '未启动',
    connecting: '连接中',
    open: '已打开',
    ended: '已结束',
    code: code => `已结束，退出码 ${code}`,
  },
}

export const useTerminalWords = ownWords({ en, zh })
