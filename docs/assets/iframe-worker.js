// Search runs in a worker, and browsers start none from a file. There, a hidden frame does its work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.title = "Search"
      document.body.append(frame)
      const inner = frame.contentWindow
      const script = inner.document.createElement("script")
      script.src = url
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.ready = new Promise(done => { script.onload = () => done(inner) })
      inner.document.head.append(script)
    }

    postMessage(data) {
      this.ready.then(inner => inner.dispatchEvent(new inner.MessageEvent("message", { data })))
    }

    terminate() {}
  }
}
