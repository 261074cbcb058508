<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>jaxscope</name>
    <message>
        <source>
### See what became of a call
Type a **call** in the bar, such as `grad(loss)(w, f32[8, 2])`, and press Enter. `f32[8, 2]` is
a random array of that type and shape, `key(0)` a random key. The functions of the file are
behind its name at the left. The line below the bar leads from the source to the machine code: a
click on a **stage** shows it.

### Find out what became of a line
Click the line. The equations, operations and instructions that came from it light up in every
view, and *Selected* says what became of each. It works in every direction: click an instruction
to see the lines that it came from.

### See the derivative
`+ transform` puts `grad`, `vmap` and others around the function. A click on the name of a
transform in the bar changes its arguments, moves or removes it. Without `grad` in the call,
*its gradient* shows what it would be.

### Know how long it takes
*Measure* compares eager with jit, with the range in which the ratio lies. The list at its left
asks further: where the time goes, how it grows with size, what is compiled again.

### Compare
*Compare* sets the call beside another one, another file, or the run before.

### Keep it
*File, Save capture* keeps everything in one file, which opens without running anything.
*Export* writes SVG, PNG, PDF, HTML and more.

### Find a command
Ctrl+K finds every command, sample and call by a few letters.
</source>
        <translation>
### 看一个调用变成了什么
在栏中输入一个**调用**，例如 `grad(loss)(w, f32[8, 2])`，然后按 Enter。`f32[8, 2]` 是该类型和形状的随机数组，
`key(0)` 是一个随机密钥。文件中的函数在左边的文件名后面。栏下的一行从源代码通向机器码：单击一个**阶段**即可显示它。

### 弄清一行变成了什么
单击这一行。由它产生的方程、运算和指令会在每个视图中亮起，*所选* 说明每一个变成了什么。任何方向都可以：单击一条指令，
就能看到它来自哪些行。

### 看导数
`+ 变换` 给函数套上 `grad`、`vmap` 等。单击栏中一个变换的名称，可以修改它的参数、移动或移除它。调用中没有 `grad` 时，
*它的梯度* 显示它会是什么样子。

### 知道需要多久
*测量* 比较急切执行和 jit，并给出比值所在的范围。左边的列表进一步回答：时间花在哪里，它随大小如何增长，什么被重新编译。

### 比较
*比较* 把这个调用与另一个调用、另一个文件或上一次运行并列。

### 保存
*文件* 菜单的 *捕获另存为* 把一切保存在一个文件中，打开它不会运行任何东西。*导出* 可以写出 SVG、PNG、PDF、HTML 等。

### 查找命令
Ctrl+K 输入几个字母，就能找到任何命令、示例和调用。
</translation>
    </message>
    <message>
        <source> (inferred)</source>
        <translation>（推断）</translation>
    </message>
    <message>
        <source> (line {line})</source>
        <translation>（第 {line} 行）</translation>
    </message>
    <message>
        <source> (results summed)</source>
        <translation>（结果求和）</translation>
    </message>
    <message>
        <source> (scratch copy)</source>
        <translation>（草稿副本）</translation>
    </message>
    <message>
        <source> (weak, as a Python number is)</source>
        <translation>（弱类型，像 Python 的数那样）</translation>
    </message>
    <message>
        <source> ({interval})</source>
        <translation>（{interval}）</translation>
    </message>
    <message>
        <source> In the end values that are needed at once add up to {peak}; XLA allocates less where they share memory, and more where it leaves gaps between them.</source>
        <translation>最终同时需要的值合计 {peak}；它们共用内存时 XLA 分配得更少，值之间留有空隙时分配得更多。</translation>
    </message>
    <message>
        <source> The longest, {name}, took {seconds}; these together {total}. The rest of compiling is passes that changed nothing, buffer assignment and code generation (LLVM's on CPUs and GPUs).</source>
        <translation>最长的 {name} 用了 {seconds}；以上合计 {total}。编译的其余时间用在没有改变程序的 pass、缓冲区分配和代码生成上（CPU 和 GPU 上由 LLVM 完成）。</translation>
    </message>
    <message>
        <source> at character {column}</source>
        <translation>（在第 {column} 个字符处）</translation>
    </message>
    <message>
        <source> at element {element}</source>
        <translation>，位于元素 {element}</translation>
    </message>
    <message>
        <source> at {factor} times the FLOPs traced</source>
        <translation>，追踪到的 FLOP 是 {factor} 倍</translation>
    </message>
    <message>
        <source> at {place}</source>
        <translation>，位于 {place}</translation>
    </message>
    <message>
        <source> at {write_time}</source>
        <translation>，时间 {write_time}</translation>
    </message>
    <message>
        <source> backward</source>
        <translation>，反向</translation>
    </message>
    <message>
        <source> before XLA's first pass</source>
        <translation>（早于 XLA 的第一个 pass）</translation>
    </message>
    <message>
        <source> by a pass of XLA's</source>
        <translation>（由 XLA 的某个 pass）</translation>
    </message>
    <message>
        <source> by the pass {pass_name}</source>
        <translation>，由 pass {pass_name} 决定</translation>
    </message>
    <message>
        <source> by {value}</source>
        <translation>（乘数 {value}）</translation>
    </message>
    <message>
        <source> equation</source>
        <translation>方程</translation>
    </message>
    <message>
        <source> in lowering to StableHLO, by JAX itself</source>
        <translation>（在 lower 到 StableHLO 时，由 JAX 自己）</translation>
    </message>
    <message>
        <source> in the pass {name}</source>
        <translation>（在 pass {name} 中）</translation>
    </message>
    <message>
        <source> in {agreeing} of {pairs} pairs</source>
        <translation>（{pairs} 对中有 {agreeing} 对如此）</translation>
    </message>
    <message>
        <source> in {function}</source>
        <translation>，在 {function} 中</translation>
    </message>
    <message>
        <source> in {pipeline}</source>
        <translation>（{pipeline}）</translation>
    </message>
    <message>
        <source> of {host}</source>
        <translation>（{host}）</translation>
    </message>
    <message>
        <source> on {host}</source>
        <translation>，主机 {host}</translation>
    </message>
    <message>
        <source> on {target}</source>
        <translation>（在 {target} 上）</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source> pixels</source>
        <translation> 像素</translation>
    </message>
    <message>
        <source> when StableHLO became HLO, before XLA's first pass</source>
        <translation>（在 StableHLO 变成 HLO 时，早于 XLA 的第一个 pass）</translation>
    </message>
    <message>
        <source> when compiling</source>
        <translation>（在编译时）</translation>
    </message>
    <message>
        <source> {num_further_dumps} changed no instruction; filter by name to see it.</source>
        <translation>另有 {num_further_dumps}没有改变任何指令；按名称筛选即可看到。</translation>
    </message>
    <message>
        <source> {num_lines} of the run changed: not marked.</source>
        <translation>运行时的 {num_lines}已改变：不作标记。</translation>
    </message>
    <message>
        <source> · {skip}: on with the lesson</source>
        <translation> · {skip}：继续课程</translation>
    </message>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>&amp;Colours</source>
        <translation>颜色(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>格式(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;What</source>
        <translation>内容(&amp;W)</translation>
    </message>
    <message>
        <source>(JAX alone)</source>
        <translation>（只有 JAX）</translation>
    </message>
    <message>
        <source>+ transform</source>
        <translation>+ 变换</translation>
    </message>
    <message>
        <source>+ {count}</source>
        <translation>+ {count}</translation>
    </message>
    <message>
        <source>+{equations}, {so_far:,} so far</source>
        <translation>+{equations}，至此 {so_far:,} 个</translation>
    </message>
    <message>
        <source>, about to end</source>
        <translation>，即将结束</translation>
    </message>
    <message>
        <source>, across the border of a nested program</source>
        <translation>，跨过一个嵌套程序的边界</translation>
    </message>
    <message>
        <source>, across {borders} borders of nested programs</source>
        <translation>，跨过 {borders} 个嵌套程序的边界</translation>
    </message>
    <message>
        <source>, at most {ceil} s left</source>
        <translation>，最多还需 {ceil} 秒</translation>
    </message>
    <message>
        <source>, at {place}</source>
        <translation>，位于 {place}</translation>
    </message>
    <message>
        <source>, decided by {pass_name}</source>
        <translation>，由 {pass_name} 决定</translation>
    </message>
    <message>
        <source>, half of the chip's, which is {num} devices</source>
        <translation>，是芯片的一半，芯片有 {num} 个设备</translation>
    </message>
    <message>
        <source>, on each of {num_devices:,} devices</source>
        <translation>，在 {num_devices:,} 个设备的每一个上</translation>
    </message>
    <message>
        <source>, process {process}</source>
        <translation>，进程 {process}</translation>
    </message>
    <message>
        <source>, the first calls of each left out</source>
        <translation>，略去每组最前面的调用</translation>
    </message>
    <message>
        <source>, the peak</source>
        <translation>，峰值</translation>
    </message>
    <message>
        <source>, with the text of its source files</source>
        <translation>，含源文件的文本</translation>
    </message>
    <message>
        <source>, {num_static} static</source>
        <translation>，{num_static} 个静态</translation>
    </message>
    <message>
        <source>, {num_told} more</source>
        <translation>，另有 {num_told} 个</translation>
    </message>
    <message>
        <source>, {times:,} times</source>
        <translation>，{times:,} 次</translation>
    </message>
    <message>
        <source>, {times} times as much</source>
        <translation>，是原来的 {times} 倍</translation>
    </message>
    <message>
        <source>--gradient asks for it, in the window a click on “its gradient”.</source>
        <translation>用 --gradient 请求它，在窗口中单击“它的梯度”。</translation>
    </message>
    <message>
        <source>. What is selected is now in {held}</source>
        <translation>。所选内容现在位于 {held}</translation>
    </message>
    <message>
        <source>0 times inf is NaN.</source>
        <translation>0 乘以 inf 是 NaN。</translation>
    </message>
    <message>
        <source>1 - cos(x) loses the digits of a small x: below 2e-4 in float32 it is 0.</source>
        <translation>1 - cos(x) 会丢失小的 x 的位数：在 float32 中，x 低于 2e-4 时结果为 0。</translation>
    </message>
    <message>
        <source>1 / 0 is inf and 0 / 0 is NaN, without an error.</source>
        <translation>1 / 0 是 inf，0 / 0 是 NaN，都不报错。</translation>
    </message>
    <message>
        <source>1 kernel has</source>
        <translation>有 1 个内核</translation>
    </message>
    <message>
        <source>1 kernel launch</source>
        <translation>1 次内核启动</translation>
    </message>
    <message>
        <source>1 leaf</source>
        <translation>1 个叶子</translation>
    </message>
    <message>
        <source>1 loop counts once: how often it runs is not known, and it may never run.</source>
        <translation>1 个循环只算一次：不知道它运行多少次，也可能从不运行。</translation>
    </message>
    <message>
        <source>1 of these is an argument or a result</source>
        <translation>其中 1 个是参数或结果</translation>
    </message>
    <message>
        <source>1 pass</source>
        <translation>1 个 pass</translation>
    </message>
    <message>
        <source>1 value is</source>
        <translation>有 1 个值</translation>
    </message>
    <message>
        <source>1 − x² of every element, exact near 1.</source>
        <translation>每个元素的 1 − x²，在 1 附近也精确。</translation>
    </message>
    <message>
        <source>1, 1, 1. The attribute changed once, while JAX traced the method, and the compiled program always returns the number that it saw then; its jaxpr has no equation at all. The check names the attribute. The stateless version returns 1, 2, 3, because its state is an argument like any other. `three_jitted_counts` and `three_stateless_counts` run both experiments.</source>
        <translation>1、1、1。属性只改变了一次，就在 JAX 追踪方法的时候；编译好的程序总是返回它当时看到的数，它的 jaxpr 一个方程也没有。检查会指出这个属性。无状态的版本返回 1、2、3，因为它的状态和其他参数一样是参数。`three_jitted_counts` 和 `three_stateless_counts` 分别运行这两个实验。</translation>
    </message>
    <message>
        <source>213 MB to load, 720 MB on the disk, Linux on x86-64, under the Google Cloud Platform Terms of Service; no TPU is needed</source>
        <translation>下载 213 MB，占用磁盘 720 MB，限 x86-64 的 Linux，适用 Google Cloud Platform 服务条款；不需要 TPU</translation>
    </message>
    <message>
        <source>223 MB to load, 600 MB on the disk, Linux, under Apache-2.0 and NVIDIA's licence for CUDA; no driver and no GPU are needed</source>
        <translation>下载 223 MB，占用磁盘 600 MB，限 Linux，适用 Apache-2.0 和 NVIDIA 的 CUDA 许可；不需要驱动，也不需要 GPU</translation>
    </message>
    <message>
        <source>32-bit integers; y is less than 32</source>
        <translation>32 位整数；y 小于 32</translation>
    </message>
    <message>
        <source>: before on the left, after on the right</source>
        <translation>：左边是之前，右边是之后</translation>
    </message>
    <message>
        <source>: only names and annotations changed</source>
        <translation>：只改变了名称和注解</translation>
    </message>
    <message>
        <source>: {what}</source>
        <translation>：{what}</translation>
    </message>
    <message>
        <source>; NaN or infinite one way only</source>
        <translation>；NaN 或无穷大只在一种方式中出现</translation>
    </message>
    <message>
        <source>; {aliased_bytes} of it shared by donation</source>
        <translation>；其中 {aliased_bytes} 因捐赠而共用</translation>
    </message>
    <message>
        <source>&lt;br&gt;&lt;i&gt;Click: go there&lt;/i&gt;</source>
        <translation>&lt;br&gt;&lt;i&gt;单击：转到那里&lt;/i&gt;</translation>
    </message>
    <message>
        <source>&lt;br&gt;computed again here, in a fusion of the backward pass; in the forward pass: {copies}</source>
        <translation>&lt;br&gt;在此处、反向过程的一个融合里再次计算；在前向过程中：{copies}</translation>
    </message>
    <message>
        <source>&lt;br&gt;of {name}</source>
        <translation>&lt;br&gt;{name} 的</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Compare this call with …&lt;/h3&gt;&lt;table align='center' cellspacing='0' cellpadding='5'&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;another call&lt;/b&gt;&lt;/td&gt;&lt;td&gt;its gradient, a vmap instead of a loop, another size or precision: type it above.&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;another file&lt;/b&gt;&lt;/td&gt;&lt;td&gt;a saved capture, or another version of this Python file.&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;the run before&lt;/b&gt;&lt;/td&gt;&lt;td&gt;of the same call: change the file, and see what the change did to every stage.&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;another target, interpreter or option&lt;/b&gt;&lt;/td&gt;&lt;td&gt;the same call for another device, under another JAX, or compiled with other options of XLA: &lt;i&gt;More&lt;/i&gt;.&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;p&gt;Nodes are matched by what they are and where they come from; new names and numbers are no difference.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;把这个调用与……比较&lt;/h3&gt;&lt;table align='center' cellspacing='0' cellpadding='5'&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;另一个调用&lt;/b&gt;&lt;/td&gt;&lt;td&gt;它的梯度、用 vmap 代替循环、另一种大小或精度：在上面输入。&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;另一个文件&lt;/b&gt;&lt;/td&gt;&lt;td&gt;已保存的捕获，或这个 Python 文件的另一个版本。&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;上一次运行&lt;/b&gt;&lt;/td&gt;&lt;td&gt;同一个调用：修改文件，看修改对每个阶段有什么影响。&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;另一个目标、解释器或选项&lt;/b&gt;&lt;/td&gt;&lt;td&gt;同一个调用，换一种设备、换一个 JAX，或用 XLA 的其他选项编译：&lt;i&gt;更多&lt;/i&gt;。&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;p&gt;节点按它们是什么、从哪里来进行匹配；新的名称和编号不算差别。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;How much faster is this call when it is compiled?&lt;/h3&gt;&lt;table align='center' cellspacing='0' cellpadding='5'&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;eager&lt;/b&gt;&lt;/td&gt;&lt;td&gt;Python runs one operation after another.&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;jit&lt;/b&gt;&lt;/td&gt;&lt;td&gt;XLA compiles the whole call once; then that program runs.&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;gradient&lt;/b&gt;&lt;/td&gt;&lt;td&gt;Both again for the gradient, where it is wanted.&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;p&gt;Calls are timed one by one in random order, each until its result is there. What comes out is what was observed in one process; six processes earn an interval.&lt;/p&gt;&lt;p&gt;&lt;b&gt;Measure&lt;/b&gt; (Ctrl+M) takes a few seconds.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;这个调用编译之后快多少？&lt;/h3&gt;&lt;table align='center' cellspacing='0' cellpadding='5'&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;急切执行&lt;/b&gt;&lt;/td&gt;&lt;td&gt;Python 一个接一个地执行运算。&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;jit&lt;/b&gt;&lt;/td&gt;&lt;td&gt;XLA 把整个调用编译一次，然后运行那个程序。&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;&lt;b&gt;梯度&lt;/b&gt;&lt;/td&gt;&lt;td&gt;需要时，对梯度也测这两种。&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;p&gt;各次调用按随机顺序逐个计时，每次都等到结果出来。得到的是在一个进程中观察到的数值；六个进程才能给出区间。&lt;/p&gt;&lt;p&gt;&lt;b&gt;测量&lt;/b&gt;（Ctrl+M）需要几秒钟。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Messages&lt;/h3&gt;&lt;ul&gt;{items}&lt;/ul&gt;</source>
        <translation>&lt;h3&gt;消息&lt;/h3&gt;&lt;ul&gt;{items}&lt;/ul&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;This saved capture holds no measurements.&lt;/h3&gt;&lt;p&gt;Nothing is run from a saved capture. Open its Python file to measure the call; saving the capture then keeps what was measured.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;这个已保存的捕获中没有测量结果。&lt;/h3&gt;&lt;p&gt;已保存的捕获不会运行任何东西。打开它的 Python 文件来测量这个调用；之后保存捕获就会保留测量结果。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;{num_names:,} things together&lt;/h3&gt;</source>
        <translation>&lt;h3&gt;共 {num_names:,} 项&lt;/h3&gt;</translation>
    </message>
    <message>
        <source>&lt;h4&gt;On {num_devices} devices&lt;/h4&gt;&lt;p&gt;{told}&lt;/p&gt;</source>
        <translation>&lt;h4&gt;在 {num_devices} 个设备上&lt;/h4&gt;&lt;p&gt;{told}&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;i&gt;Double click: go to where its inside is drawn&lt;/i&gt;</source>
        <translation>&lt;i&gt;双击：转到画有其内部的地方&lt;/i&gt;</translation>
    </message>
    <message>
        <source>&lt;i&gt;Double click: open or close&lt;/i&gt;</source>
        <translation>&lt;i&gt;双击：展开或收起&lt;/i&gt;</translation>
    </message>
    <message>
        <source>&lt;i&gt;bookmarked:&lt;/i&gt; </source>
        <translation>&lt;i&gt;已加书签：&lt;/i&gt; </translation>
    </message>
    <message>
        <source>&lt;i&gt;bookmarked&lt;/i&gt;</source>
        <translation>&lt;i&gt;已加书签&lt;/i&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;&lt;a href='card:'&gt;All words&lt;/a&gt;&lt;/p&gt;&lt;h3&gt;{name}&lt;/h3&gt;&lt;p&gt;{sentence}&lt;/p&gt;{card}</source>
        <translation>&lt;p&gt;&lt;a href='card:'&gt;所有词&lt;/a&gt;&lt;/p&gt;&lt;h3&gt;{name}&lt;/h3&gt;&lt;p&gt;{sentence}&lt;/p&gt;{card}</translation>
    </message>
    <message>
        <source>&lt;p&gt;&lt;a href='page:arguments'&gt;All arguments and results&lt;/a&gt;&lt;/p&gt;</source>
        <translation>&lt;p&gt;&lt;a href='page:arguments'&gt;所有参数和结果&lt;/a&gt;&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;&lt;a href='values:'&gt;Look at its values&lt;/a&gt; (Ctrl+Alt+V)&lt;/p&gt;</source>
        <translation>&lt;p&gt;&lt;a href='values:'&gt;查看它的值&lt;/a&gt;（Ctrl+Alt+V）&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;Added by jaxscope, no part of your function: what gives more than one number has no gradient, so this is the gradient of the sum of its results.&lt;/p&gt;</source>
        <translation>&lt;p&gt;由 jaxscope 添加，不属于你的函数：结果不止一个数的函数没有梯度，所以这里是其结果之和的梯度。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;Click a line of the source, an equation, an instruction or a box. What it came from and what it went into lights up in every view.&lt;/p&gt;&lt;p&gt;Rest the pointer on something to see its links ahead. Ctrl+click adds one more, Shift+click all up to there.&lt;/p&gt;</source>
        <translation>&lt;p&gt;单击一行源代码、一个方程、一条指令或一个方框。它从何而来、变成了什么，会在每个视图中亮起。&lt;/p&gt;&lt;p&gt;把指针停在某个东西上可以预先看到它的联系。Ctrl+单击再加一个，Shift+单击选到那里为止的全部。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;Click a line or a box to follow it through all stages.&lt;/p&gt;</source>
        <translation>&lt;p&gt;单击一行或一个方框，即可在所有阶段中跟随它。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;Looks at names, operations, types and scopes while you type.
Enter goes to the next, Shift+Enter to the one before, Escape ends it.&lt;/p&gt;&lt;table cellpadding='2'&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;op:add&lt;/code&gt;&lt;/td&gt;&lt;td&gt;an operation&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;f32[*,128]&lt;/code&gt;&lt;/td&gt;&lt;td&gt;a type; &lt;code&gt;...&lt;/code&gt; is any number of sizes&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;scope:attention&lt;/code&gt;&lt;/td&gt;&lt;td&gt;a named scope&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;model.py:12&lt;/code&gt;&lt;/td&gt;&lt;td&gt;what comes from a line&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;flops&amp;gt;1M&lt;/code&gt;&lt;/td&gt;&lt;td&gt;what costs more; also bytes, seconds&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;/^exp|log/&lt;/code&gt;&lt;/td&gt;&lt;td&gt;a regular expression&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;-word&lt;/code&gt;&lt;/td&gt;&lt;td&gt;not this&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;dot_general -&amp;gt; add&lt;/code&gt;&lt;/td&gt;&lt;td&gt;operations that feed each other&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;dot_general -&amp;gt; ... -&amp;gt; max&lt;/code&gt;&lt;/td&gt;&lt;td&gt;with anything between&lt;/td&gt;&lt;/tr&gt;
&lt;/table&gt;</source>
        <translation>&lt;p&gt;边输入边查找名称、运算、类型和作用域。
按 Enter 到下一个，Shift+Enter 到上一个，Esc 结束。&lt;/p&gt;&lt;table cellpadding='2'&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;op:add&lt;/code&gt;&lt;/td&gt;&lt;td&gt;一种运算&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;f32[*,128]&lt;/code&gt;&lt;/td&gt;&lt;td&gt;一种类型；&lt;code&gt;...&lt;/code&gt; 表示任意多个大小&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;scope:attention&lt;/code&gt;&lt;/td&gt;&lt;td&gt;一个具名作用域&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;model.py:12&lt;/code&gt;&lt;/td&gt;&lt;td&gt;来自某一行的内容&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;flops&amp;gt;1M&lt;/code&gt;&lt;/td&gt;&lt;td&gt;开销更大的；也可用 bytes、seconds&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;/^exp|log/&lt;/code&gt;&lt;/td&gt;&lt;td&gt;一个正则表达式&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;-word&lt;/code&gt;&lt;/td&gt;&lt;td&gt;不含这个&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;dot_general -&amp;gt; add&lt;/code&gt;&lt;/td&gt;&lt;td&gt;一个供给另一个的运算&lt;/td&gt;&lt;/tr&gt;
&lt;tr&gt;&lt;td&gt;&lt;code&gt;dot_general -&amp;gt; ... -&amp;gt; max&lt;/code&gt;&lt;/td&gt;&lt;td&gt;中间可以有任何东西&lt;/td&gt;&lt;/tr&gt;
&lt;/table&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;Made by lowering or by XLA: no equation or line of your program is known to be behind it.&lt;/p&gt;</source>
        <translation>&lt;p&gt;由 lower 或 XLA 产生：不知道背后有您程序的哪个方程或哪一行。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;There is no such word.&lt;/p&gt;</source>
        <translation>&lt;p&gt;没有这个词。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>A CPU shares the memory with the host: such a value may be taken over without a copy.</source>
        <translation>CPU 与主机共用内存：这样的值可能不经复制就被接管。</translation>
    </message>
    <message>
        <source>A Flax NNX object that was made outside of the traced function is changed inside of it.</source>
        <translation>在被追踪的函数之外生成的 Flax NNX 对象，在函数里面被改变了。</translation>
    </message>
    <message>
        <source>A JAX array is assigned to in place.</source>
        <translation>对一个 JAX 数组做了就地赋值。</translation>
    </message>
    <message>
        <source>A NaN or an infinity appeared while `jax_debug_nans` or `jax_debug_infs` is on.</source>
        <translation>在 `jax_debug_nans` 或 `jax_debug_infs` 打开时出现了 NaN 或无穷大。</translation>
    </message>
    <message>
        <source>A NumPy function was called on a traced array.</source>
        <translation>对一个被追踪的数组调用了 NumPy 函数。</translation>
    </message>
    <message>
        <source>A Pallas kernel is to run on the CPU, which runs Pallas kernels in interpret mode only.</source>
        <translation>一个 Pallas 内核要在 CPU 上运行，而 CPU 只能以解释模式运行 Pallas 内核。</translation>
    </message>
    <message>
        <source>A Python callback that the compiled program calls raised {kind}.</source>
        <translation>编译后的程序所调用的一个 Python 回调抛出了 {kind}。</translation>
    </message>
    <message>
        <source>A `custom_vjp` or `custom_jvp` has no rule.</source>
        <translation>某个 `custom_vjp` 或 `custom_jvp` 没有规则。</translation>
    </message>
    <message>
        <source>A `scan` over 1,000 numbers: how many equations? What becomes of a `cond` under `vmap`?</source>
        <translation>对 1,000 个数做一次 `scan`：有多少个方程？在 `vmap` 下 `cond` 会变成什么？</translation>
    </message>
    <message>
        <source>A block that reaches beyond the end is moved back until it fits, without an error.</source>
        <translation>伸出末端的块会被移回到放得下的位置，不报错。</translation>
    </message>
    <message>
        <source>A block that reaches beyond the end is moved back until it fits.</source>
        <translation>伸出末端的块会被移回到放得下的位置。</translation>
    </message>
    <message>
        <source>A box around a single box is only a name.</source>
        <translation>只包着一个方框的方框只是一个名称。</translation>
    </message>
    <message>
        <source>A box is an equation, an arrow a value. A double click opens a group, the wheel zooms, and a click leads back to the line that it came from.</source>
        <translation>方框是方程，箭头是值。双击展开一个组，滚轮缩放，单击会带您回到它所来自的那一行。</translation>
    </message>
    <message>
        <source>A bug in jaxscope</source>
        <translation>jaxscope 的一个缺陷</translation>
    </message>
    <message>
        <source>A call may have {max_call_chars} characters, not {num_call}.</source>
        <translation>一个调用最多 {max_call_chars} 个字符，而这里有 {num_call} 个。</translation>
    </message>
    <message>
        <source>A call of such a function only makes an object; its body runs when that is {when}.</source>
        <translation>调用这样的函数只会生成一个对象；对象被 {when} 时，函数体才运行。</translation>
    </message>
    <message>
        <source>A call of such a function only starts work, which nobody waits for.</source>
        <translation>调用这样的函数只是启动工作，没有谁等待它完成。</translation>
    </message>
    <message>
        <source>A call that traces, lowers and compiles before it runs.</source>
        <translation>先追踪、lower 和编译，然后才运行的那次调用。</translation>
    </message>
    <message>
        <source>A call that uses the name {vary} is needed.</source>
        <translation>需要一个用到名称 {vary} 的调用。</translation>
    </message>
    <message>
        <source>A capture returned {name}.</source>
        <translation>一次捕获返回了 {name}。</translation>
    </message>
    <message>
        <source>A change of this file was kept. Try a change (Ctrl+Shift+T) goes on with it.</source>
        <translation>此文件有保留的修改。“试着修改”（Ctrl+Shift+T）可继续。</translation>
    </message>
    <message>
        <source>A collective names an axis that nothing maps over.</source>
        <translation>集合操作指名了一个没有任何映射的轴。</translation>
    </message>
    <message>
        <source>A collective stands between the shardings of what its equation reads and gives. What the instruction itself gives can be spread otherwise: XLA may take several steps, such as an all-reduce and a slice of its result.</source>
        <translation>集合通信处在它的方程所读和所给的两种分布之间。指令本身给出的分布可以不同：XLA 可能分几步完成，例如先 all-reduce，再切出结果的一片。</translation>
    </message>
    <message>
        <source>A compilation cache is on: a hit makes compiling look fast.</source>
        <translation>编译缓存已打开：命中缓存会让编译看起来很快。</translation>
    </message>
    <message>
        <source>A compiled function inside the program; XLA usually dissolves it.</source>
        <translation>程序中的一个编译过的函数；XLA 通常把它展开。</translation>
    </message>
    <message>
        <source>A constant and its broadcasts are a number in the label of what uses them.</source>
        <translation>常量及其广播是使用者标签中的一个数。</translation>
    </message>
    <message>
        <source>A convolution, with strides, padding and dilation.</source>
        <translation>卷积，带有步长、填充和空洞。</translation>
    </message>
    <message>
        <source>A counter that does not count</source>
        <translation>一个不计数的计数器</translation>
    </message>
    <message>
        <source>A cumulative sum or the like counts as XLA counts the window that JAX makes of it: for each element of an axis of n, n - 1 times two numbers are combined.</source>
        <translation>累积求和等运算按 XLA 对 JAX 由其生成的窗口的计法计算：对长为 n 的轴的每个元素，两个数合并 n - 1 次。</translation>
    </message>
    <message>
        <source>A derivative is asked for of a complex result.</source>
        <translation>要求对复数结果求导数。</translation>
    </message>
    <message>
        <source>A derivative is asked for of a result that is no float.</source>
        <translation>要求对不是浮点数的结果求导数。</translation>
    </message>
    <message>
        <source>A derivative is asked for with respect to integers.</source>
        <translation>要求对整数求导。</translation>
    </message>
    <message>
        <source>A derivative was asked for of a complex result.</source>
        <translation>代码要求对复数结果求导数。</translation>
    </message>
    <message>
        <source>A derivative was asked for of a result that is no float.</source>
        <translation>代码要求对不是浮点数的结果求导数。</translation>
    </message>
    <message>
        <source>A derivative was asked for with respect to integers.</source>
        <translation>代码要求对整数求导。</translation>
    </message>
    <message>
        <source>A fast Fourier transform.</source>
        <translation>快速傅里叶变换。</translation>
    </message>
    <message>
        <source>A file for each stage, named after it.</source>
        <translation>每个阶段一个文件，以阶段命名。</translation>
    </message>
    <message>
        <source>A file of functions, imports included; nothing at its top level should take long.</source>
        <translation>一个由函数组成的文件，包括 import；顶层不应有耗时的内容。</translation>
    </message>
    <message>
        <source>A file of the program has changed on disk since this run.</source>
        <translation>此次运行之后，程序的某个文件在磁盘上已更改。</translation>
    </message>
    <message>
        <source>A fixed value that is part of the program itself.</source>
        <translation>一个固定的值，是程序本身的一部分。</translation>
    </message>
    <message>
        <source>A fixed value that is part of the program.</source>
        <translation>一个固定的值，是程序的一部分。</translation>
    </message>
    <message>
        <source>A forward derivative is asked of a function whose rule, a `custom_vjp`, is for the backward pass alone.</source>
        <translation>对一个只有反向规则（`custom_vjp`）的函数求前向导数。</translation>
    </message>
    <message>
        <source>A function of JAX's is given something that is no array.</source>
        <translation>传给 JAX 函数的东西不是数组。</translation>
    </message>
    <message>
        <source>A function of the module.</source>
        <translation>模块中的一个函数。</translation>
    </message>
    <message>
        <source>A function that is made anew in each round is jitted and called here: jax.jit knows functions by identity, so each round traces and compiles again.</source>
        <translation>每一轮新生成的函数在这里用 jit 包装并调用：jax.jit 按身份识别函数，所以每一轮都重新追踪和编译。</translation>
    </message>
    <message>
        <source>A function that yields gives a generator, which JAX cannot trace.</source>
        <translation>含有 yield 的函数返回生成器，JAX 无法追踪。</translation>
    </message>
    <message>
        <source>A function whose backward pass somebody wrote by hand (`jax.custom_vjp`).</source>
        <translation>一个反向过程由人手写的函数（`jax.custom_vjp`）。</translation>
    </message>
    <message>
        <source>A function whose backward pass somebody wrote by hand.</source>
        <translation>一个反向过程由人手写的函数。</translation>
    </message>
    <message>
        <source>A function whose derivative somebody wrote by hand (`jax.custom_jvp`).</source>
        <translation>一个导数由人手写的函数（`jax.custom_jvp`）。</translation>
    </message>
    <message>
        <source>A function whose rule under `vmap` somebody wrote by hand.</source>
        <translation>一个在 `vmap` 下的规则由人手写的函数。</translation>
    </message>
    <message>
        <source>A gather reads {num:,} elements of axis {axis} whose indices are known and lie in a row ({first} to {last} by {step}). XLA does not make a slice of it, and its derivative is a scatter.</source>
        <translation>一个 gather 沿轴 {axis} 读取 {num:,} 个元素，其下标已知，并且排成一列（从 {first} 到 {last}，间隔 {step}）。XLA 不会把它变成 slice，它的导数是 scatter。</translation>
    </message>
    <message>
        <source>A gradient is two columns, layer beside layer, with what is kept for it in between.</source>
        <translation>梯度是两列，层与层并排，中间是为它保留的内容。</translation>
    </message>
    <message>
        <source>A group for each layer. The convolution stays an instruction of its own or becomes a library call; the element-by-element part of the norm and the ReLU after it share fusions, and only the norm's means, which need all numbers of a pixel first, stand between them.</source>
        <translation>每层是一个组。卷积仍是单独的一条指令，或者变成一次库调用；归一化中逐元素的部分和其后的 ReLU 共用融合，夹在中间的只有归一化的均值，因为它们先需要一个像素的全部数值。</translation>
    </message>
    <message>
        <source>A kernel of one's own</source>
        <translation>自己的内核</translation>
    </message>
    <message>
        <source>A kernel written by hand in Pallas.</source>
        <translation>用 Pallas 手写的内核。</translation>
    </message>
    <message>
        <source>A key of the default kind is two 32-bit integers, in a new last dimension.</source>
        <translation>默认种类的密钥是两个 32 位整数，放在新的最后一维中。</translation>
    </message>
    <message>
        <source>A key that goes in, statistics that come out.</source>
        <translation>一个密钥进去，统计量出来。</translation>
    </message>
    <message>
        <source>A layer or a step is needed: its result, or the first of two, is like its first argument.</source>
        <translation>需要一个层或一个步骤：它的结果（或两个结果中的第一个）与它的第一个参数形式相同。</translation>
    </message>
    <message>
        <source>A library does it.</source>
        <translation>由库来完成。</translation>
    </message>
    <message>
        <source>A line is a number: line:12</source>
        <translation>行是一个数：line:12</translation>
    </message>
    <message>
        <source>A line leads from the real producer to the real user, into nested programs and out.</source>
        <translation>连线从真正的产生者通向真正的使用者，可以进出嵌套程序。</translation>
    </message>
    <message>
        <source>A line that is not drawn: it comes from the box of that name or, behind an arrow, goes there. A click leads to that box.</source>
        <translation>未画出的连线：它来自该名称的方框；名称前有箭头时，则通往该方框。单击即可前往。</translation>
    </message>
    <message>
        <source>A loop over references.</source>
        <translation>对引用进行的循环。</translation>
    </message>
    <message>
        <source>A loop that runs until a condition fails. It has no reverse-mode gradient, since the number of steps is not known beforehand.</source>
        <translation>一直运行到条件不成立为止的循环。它没有反向模式的梯度，因为步数事先不知道。</translation>
    </message>
    <message>
        <source>A loop whose number of rounds is not known has no backward pass.</source>
        <translation>轮数未知的循环没有反向过程。</translation>
    </message>
    <message>
        <source>A loop with a known number of steps that carries a state along and collects a result per step. The body is traced once.</source>
        <translation>步数已知的循环，它带着一个状态前进，每一步收集一个结果。循环体只追踪一次。</translation>
    </message>
    <message>
        <source>A loop: runs its body until its condition fails.</source>
        <translation>循环：反复运行循环体，直到条件不成立。</translation>
    </message>
    <message>
        <source>A matrix product in its general form. Most of the work of a neural network is here.</source>
        <translation>一般形式的矩阵乘积。神经网络的大部分工作都在这里。</translation>
    </message>
    <message>
        <source>A matrix product in its general form: it sums over chosen dimensions and may run over batch dimensions. Most of the work of a neural network is here.</source>
        <translation>一般形式的矩阵乘积：沿选定的维度求和，也可以沿批次维度重复。神经网络的大部分工作都在这里。</translation>
    </message>
    <message>
        <source>A matrix product.</source>
        <translation>矩阵乘积。</translation>
    </message>
    <message>
        <source>A matrix that is not positive definite gives NaN, without an error.</source>
        <translation>不是正定的矩阵会得到 NaN，不报错。</translation>
    </message>
    <message>
        <source>A memory limit of {size:.2f} GB is in force for this process ({how}).</source>
        <translation>这个进程有 {size:.2f} GB 的内存限制（{how}）。</translation>
    </message>
    <message>
        <source>A method is called that a traced array does not have.</source>
        <translation>调用了被追踪的数组所没有的方法。</translation>
    </message>
    <message>
        <source>A module between two passes could not be read.</source>
        <translation>两个 pass 之间的一个模块无法读取。</translation>
    </message>
    <message>
        <source>A module that a job left behind. Nothing is run from it.</source>
        <translation>一个作业留下的模块。不会运行其中任何东西。</translation>
    </message>
    <message>
        <source>A name that the code gives to a part, as `jax.named_scope` and modules do.</source>
        <translation>代码给一个部分起的名称，`jax.named_scope` 和各种模块都这样做。</translation>
    </message>
    <message>
        <source>A named group of operations that a compiler may replace as a whole.</source>
        <translation>一组有名称的运算，编译器可以把它们作为整体替换掉。</translation>
    </message>
    <message>
        <source>A negative number to a power that is not whole is NaN.</source>
        <translation>负数的非整数次幂是 NaN。</translation>
    </message>
    <message>
        <source>A new function is jitted each time ({count} times{at}), so nothing compiled before can be found. Call jax.jit once, outside of the loop.</source>
        <translation>每次都对一个新的函数使用 jit（{count} 次{at}），所以找不到以前编译的程序。请在循环之外只调用一次 jax.jit。</translation>
    </message>
    <message>
        <source>A new shape is a new program.</source>
        <translation>新的形状就是新的程序。</translation>
    </message>
    <message>
        <source>A number counts the nodes that differ inside of a closed box.</source>
        <translation>数字表示收起的方框内有多少个节点不同。</translation>
    </message>
    <message>
        <source>A page for each stage.</source>
        <translation>每个阶段一页。</translation>
    </message>
    <message>
        <source>A paired factor is the middle of those of calls that were measured side by side: the times beside it need not divide to it.</source>
        <translation>配对的倍数是并排测量的调用的倍数的中位数：旁边两个时间相除不一定等于它。</translation>
    </message>
    <message>
        <source>A part of the path is not a folder.</source>
        <translation>路径中有一部分不是文件夹。</translation>
    </message>
    <message>
        <source>A pass could not be read: {error}.</source>
        <translation>有一个 pass 无法读取：{error}。</translation>
    </message>
    <message>
        <source>A picture must be wider than nothing.</source>
        <translation>图片的宽度必须大于零。</translation>
    </message>
    <message>
        <source>A piece of code that the device runs as one launch.</source>
        <translation>设备作为一次启动来运行的一段代码。</translation>
    </message>
    <message>
        <source>A pipe to the supervisor is missing.</source>
        <translation>到监管进程的管道缺失。</translation>
    </message>
    <message>
        <source>A polynomial of every element, by Horner's rule.</source>
        <translation>每个元素的多项式值，用秦九韶（Horner）算法计算。</translation>
    </message>
    <message>
        <source>A product of two {side} by {side} matrices in f32, jitted, timed until it was ready.</source>
        <translation>两个 f32 的 {side} × {side} 矩阵的乘积，用 jit 编译，计时到结果就绪。</translation>
    </message>
    <message>
        <source>A product with a sparse matrix.</source>
        <translation>与稀疏矩阵的乘积。</translation>
    </message>
    <message>
        <source>A program compiled again while it was measured.</source>
        <translation>有一个程序在测量期间又编译了一次。</translation>
    </message>
    <message>
        <source>A random function is given something that is no key.</source>
        <translation>传给随机函数的东西不是密钥。</translation>
    </message>
    <message>
        <source>A random key is used as numbers are.</source>
        <translation>把随机密钥当作数字来用。</translation>
    </message>
    <message>
        <source>A random key is used twice, so the two draws are not independent.</source>
        <translation>一个随机密钥用了两次，所以两次抽取并不独立。</translation>
    </message>
    <message>
        <source>A result that the program hands back.</source>
        <translation>程序交回的一个结果。</translation>
    </message>
    <message>
        <source>A run ended without a word.</source>
        <translation>一次运行没有任何说明就结束了。</translation>
    </message>
    <message>
        <source>A run of several processes cannot be stepped through.</source>
        <translation>多个进程的运行不能单步执行。</translation>
    </message>
    <message>
        <source>A running combination computed in parallel, in a tree of steps.</source>
        <translation>并行计算的前缀组合，分步排成一棵树。</translation>
    </message>
    <message>
        <source>A saved capture does not hold what the code printed.</source>
        <translation>已保存的捕获不包含代码打印的内容。</translation>
    </message>
    <message>
        <source>A saved capture has no file to change.</source>
        <translation>已保存的捕获没有可以修改的文件。</translation>
    </message>
    <message>
        <source>A saved capture is not run: open its file to go through the call with its numbers.</source>
        <translation>已保存的捕获不会运行：打开它的文件，才能带着数值走完这个调用。</translation>
    </message>
    <message>
        <source>A saved capture is not run: open its file to step through the call.</source>
        <translation>已保存的捕获不会运行：打开它的文件，才能单步执行这个调用。</translation>
    </message>
    <message>
        <source>A saved capture, or another version of this Python file</source>
        <translation>已保存的捕获，或这个 Python 文件的另一个版本</translation>
    </message>
    <message>
        <source>A saved capture, recorded{where}{when}. Nothing is run from it.</source>
        <translation>已保存的捕获，记录于{where}{when}。不会运行其中任何东西。</translation>
    </message>
    <message>
        <source>A shape holds something that is no integer.</source>
        <translation>形状中有不是整数的东西。</translation>
    </message>
    <message>
        <source>A shape, or a number of elements, depends on the value of a traced array.</source>
        <translation>形状或元素个数取决于被追踪的数组的值。</translation>
    </message>
    <message>
        <source>A side is a .jaxscope or .json file, FILE.py, or 'FILE.py::CALL'.</source>
        <translation>一方是 .jaxscope 或 .json 文件、FILE.py，或 'FILE.py::CALL'。</translation>
    </message>
    <message>
        <source>A size is missing: f32[*,128]</source>
        <translation>缺少一个大小：f32[*,128]</translation>
    </message>
    <message>
        <source>A start that reaches beyond the end is moved back until the slice fits.</source>
        <translation>使切片伸出末端的起点会被移回到放得下的位置。</translation>
    </message>
    <message>
        <source>A static argument must be hashable.</source>
        <translation>静态参数必须是可哈希的。</translation>
    </message>
    <message>
        <source>A target on another machine is ssh://HOST/TARGET.</source>
        <translation>另一台机器上的目标写作 ssh://HOST/TARGET。</translation>
    </message>
    <message>
        <source>A traced array is formatted as if it had a value.</source>
        <translation>被追踪的数组被当作有值的数来格式化。</translation>
    </message>
    <message>
        <source>A traced array is looked up in a dictionary or a set.</source>
        <translation>在字典或集合中查找被追踪的数组。</translation>
    </message>
    <message>
        <source>A traced array is used where Python needs an integer.</source>
        <translation>在 Python 需要整数的地方用了一个被追踪的数组。</translation>
    </message>
    <message>
        <source>A traced value was kept beyond the function that made it.</source>
        <translation>一个被追踪的值保留到了生成它的函数之外。</translation>
    </message>
    <message>
        <source>A transformer in plain JAX</source>
        <translation>用纯 JAX 写的 Transformer</translation>
    </message>
    <message>
        <source>A value that an equation, operation or instruction reads.</source>
        <translation>方程、运算或指令所读取的值。</translation>
    </message>
    <message>
        <source>A value that comes in from outside.</source>
        <translation>从外部传入的值。</translation>
    </message>
    <message>
        <source>A value that the forward pass keeps for the backward pass.</source>
        <translation>前向过程为反向过程保留的值。</translation>
    </message>
    <message>
        <source>A value that the program holds itself; captured if a function brought it in.</source>
        <translation>程序自己持有的值；如果是函数带进来的，就是被捕获的。</translation>
    </message>
    <message>
        <source>A whole training</source>
        <translation>一次完整的训练</translation>
    </message>
    <message>
        <source>A whole training loop in forty lines.</source>
        <translation>四十行代码写成的整个训练循环。</translation>
    </message>
    <message>
        <source>A window ended without being closed. Its last capture was kept.</source>
        <translation>有一个窗口未经关闭就结束了。它最后的捕获已经保留。</translation>
    </message>
    <message>
        <source>A worker under {python} ended before it was ready.</source>
        <translation>用 {python} 启动的工作进程还没有准备好就结束了。</translation>
    </message>
    <message>
        <source>A worker under {python} was not ready within {seconds:.0f} s.</source>
        <translation>用 {python} 启动的工作进程在 {seconds:.0f} 秒内没有准备好。</translation>
    </message>
    <message>
        <source>A worker {what} before it began with the run, and so did others in its place.</source>
        <translation>一个工作进程在开始运行之前{what}，接替它的进程也是如此。</translation>
    </message>
    <message>
        <source>A zero on the diagonal gives inf or NaN, without an error.</source>
        <translation>对角线上的零会得到 inf 或 NaN，不报错。</translation>
    </message>
    <message>
        <source>A {type} request has no two sides.</source>
        <translation>{type} 请求没有两方。</translation>
    </message>
    <message>
        <source>A {type} request is not repeated.</source>
        <translation>{type} 请求不会重复。</translation>
    </message>
    <message>
        <source>A {type} run returned {name}.</source>
        <translation>{type} 运行返回了 {name}。</translation>
    </message>
    <message>
        <source>ARGUMENT:DIMENSION=FROM..TO, or NAME=FROM..TO for a name that stands in the call; empty for what is shown there</source>
        <translation>ARGUMENT:DIMENSION=FROM..TO，或者对调用中出现的名称用 NAME=FROM..TO；留空则用那里显示的内容</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>About jaxscope</source>
        <translation>关于 jaxscope</translation>
    </message>
    <message>
        <source>Add a function, or open another file (Ctrl+O).</source>
        <translation>请添加一个函数，或打开另一个文件（Ctrl+O）。</translation>
    </message>
    <message>
        <source>Add a small number under the root, jnp.sqrt(jnp.sum(x**2) + 1e-12), or give it a safe operand: s = jnp.sum(x**2); safe = jnp.where(s &gt; 0, s, 1.0); jnp.where(s &gt; 0, jnp.sqrt(safe), 0.0).</source>
        <translation>在根号下加一个小的数 jnp.sqrt(jnp.sum(x**2) + 1e-12)，或者给它一个安全的操作数：s = jnp.sum(x**2); safe = jnp.where(s &gt; 0, s, 1.0); jnp.where(s &gt; 0, jnp.sqrt(safe), 0.0)。</translation>
    </message>
    <message>
        <source>Add its arguments in parentheses.</source>
        <translation>请在括号中加上它的参数。</translation>
    </message>
    <message>
        <source>Adding arrays that no cache holds</source>
        <translation>正在把缓存放不下的数组相加</translation>
    </message>
    <message>
        <source>Adds a border of a constant value, or removes one.</source>
        <translation>加上一圈常量值的边，或者去掉边。</translation>
    </message>
    <message>
        <source>Adds a dimension of size one.</source>
        <translation>增加一个大小为一的维度。</translation>
    </message>
    <message>
        <source>Adds to a value, or a part of it, in a reference.</source>
        <translation>把值加到引用所指的值或其中一部分上。</translation>
    </message>
    <message>
        <source>Adds two arrays element by element.</source>
        <translation>两个数组逐元素相加。</translation>
    </message>
    <message>
        <source>Adds two gradients that flow back into the same value. Differentiation puts it wherever a value was used more than once.</source>
        <translation>把流回同一个值的两个梯度相加。一个值被用了不止一次的地方，微分都会加上它。</translation>
    </message>
    <message>
        <source>Adds values at many index positions. The gradient of an indexing is this.</source>
        <translation>在许多下标位置上加上数值。取下标操作的梯度就是它。</translation>
    </message>
    <message>
        <source>Adds {count}: {names}.</source>
        <translation>增加 {count}：{names}。</translation>
    </message>
    <message>
        <source>After {seconds:.0f} s no further pass was switched off.</source>
        <translation>{seconds:.0f} 秒之后没有再关闭更多的 pass。</translation>
    </message>
    <message>
        <source>Against {name}: {told}.</source>
        <translation>与 {name} 相比：{told}。</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>一致性</translation>
    </message>
    <message>
        <source>Ahead of time there are no values, no times and no autotuning among kernels.</source>
        <translation>提前编译时没有值、没有时间，也不在内核之间自动调优。</translation>
    </message>
    <message>
        <source>Alike layers are one box with ×N.</source>
        <translation>相同的层是一个带 ×N 的方框。</translation>
    </message>
    <message>
        <source>Alive</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>All GPUs</source>
        <translation>所有 GPU</translation>
    </message>
    <message>
        <source>All TPUs</source>
        <translation>所有 TPU</translation>
    </message>
    <message>
        <source>All branches give the same types; other types raise a TypeError.</source>
        <translation>所有分支给出相同的类型；类型不同会抛出 TypeError。</translation>
    </message>
    <message>
        <source>All commands …</source>
        <translation>所有命令 …</translation>
    </message>
    <message>
        <source>All menus</source>
        <translation>所有菜单</translation>
    </message>
    <message>
        <source>All menus (F10)</source>
        <translation>所有菜单（F10）</translation>
    </message>
    <message>
        <source>All operands have one shape; the result has a new dimension `axis`, as long as there are operands.</source>
        <translation>所有操作数形状相同；结果有一个新的维度 `axis`，长度等于操作数的个数。</translation>
    </message>
    <message>
        <source>All samples with pictures ›</source>
        <translation>带图片的所有示例 ›</translation>
    </message>
    <message>
        <source>All sizes agree but that of `dimension`, which is the sum of the operands' sizes.</source>
        <translation>除 `dimension` 以外的大小都相同；这一维的大小是各操作数大小之和。</translation>
    </message>
    <message>
        <source>All stages.</source>
        <translation>所有阶段。</translation>
    </message>
    <message>
        <source>Allow more: ulimit -n {count}</source>
        <translation>请允许更多：ulimit -n {count}</translation>
    </message>
    <message>
        <source>An `async` function gives a coroutine, which JAX cannot trace.</source>
        <translation>`async` 函数返回协程，JAX 无法追踪。</translation>
    </message>
    <message>
        <source>An argument holds something that is no array.</source>
        <translation>有一个参数含有不是数组的内容。</translation>
    </message>
    <message>
        <source>An argument holds them already.</source>
        <translation>有一个参数中已经有它们。</translation>
    </message>
    <message>
        <source>An argument is named by a position that the call does not have.</source>
        <translation>以位置指定了一个参数，而调用没有该位置的参数。</translation>
    </message>
    <message>
        <source>An argument is no array and is not static.</source>
        <translation>有一个参数不是数组，也不是静态的。</translation>
    </message>
    <message>
        <source>An argument of the computation.</source>
        <translation>这个计算的一个参数。</translation>
    </message>
    <message>
        <source>An array is indexed with a mask, and the size of the result depends on its values.</source>
        <translation>用掩码对数组取下标，结果的大小取决于数组的值。</translation>
    </message>
    <message>
        <source>An array is marked static.</source>
        <translation>有数组被标记为静态参数。</translation>
    </message>
    <message>
        <source>An array is used after it was donated to a jitted function.</source>
        <translation>一个数组在捐赠给 jit 函数之后又被使用。</translation>
    </message>
    <message>
        <source>An array whose contents are not set yet.</source>
        <translation>一个内容还没有设定的数组。</translation>
    </message>
    <message>
        <source>An arrow needs something on both sides: dot_general -&gt; add</source>
        <translation>箭头两边都要有内容：dot_general -&gt; add</translation>
    </message>
    <message>
        <source>An assertion of the code failed.</source>
        <translation>代码中的一个断言失败了。</translation>
    </message>
    <message>
        <source>An axis is named that the array does not have.</source>
        <translation>指定了数组所没有的轴。</translation>
    </message>
    <message>
        <source>An earlier trace left it in a cache or a global, and the eager call found it there: it did not compute.</source>
        <translation>先前的一次追踪把它留在缓存或全局变量中，急切调用在那里找到了它：并没有计算。</translation>
    </message>
    <message>
        <source>An equation that became many instructions, loops of their own among them, is one in the first count.</source>
        <translation>变成了许多条指令（其中有单独的循环）的方程，在第一个计数中只算一个。</translation>
    </message>
    <message>
        <source>An exponential, a sine and the like; XLA counts them apart from FLOP.</source>
        <translation>指数、正弦之类的函数；XLA 把它们与 FLOP 分开计数。</translation>
    </message>
    <message>
        <source>An exponentially scaled Bessel function of every element.</source>
        <translation>每个元素的指数缩放贝塞尔函数值。</translation>
    </message>
    <message>
        <source>An import failed.</source>
        <translation>一个导入失败了。</translation>
    </message>
    <message>
        <source>An index beyond the end is left out.</source>
        <translation>超出末端的下标会被略去。</translation>
    </message>
    <message>
        <source>An index that is out of range runs the last branch.</source>
        <translation>超出范围的下标会运行最后一个分支。</translation>
    </message>
    <message>
        <source>An instruction by which devices exchange data, such as `all-reduce`.</source>
        <translation>设备之间用来交换数据的指令，例如 `all-reduce`。</translation>
    </message>
    <message>
        <source>An m by k matrix times a k by n matrix is 2·m·n·k FLOPs.</source>
        <translation>m 乘 k 的矩阵乘以 k 乘 n 的矩阵，是 2·m·n·k FLOP。</translation>
    </message>
    <message>
        <source>An operation is differentiated that has no backward pass, such as a Pallas kernel.</source>
        <translation>被求导的某个操作没有反向过程，例如 Pallas 内核。</translation>
    </message>
    <message>
        <source>Animate changes of graphs</source>
        <translation>图的变化用动画显示</translation>
    </message>
    <message>
        <source>Another call, such as grad(loss)(…)</source>
        <translation>另一个调用，例如 grad(loss)(…)</translation>
    </message>
    <message>
        <source>Another export is being written.</source>
        <translation>正在写另一个导出文件。</translation>
    </message>
    <message>
        <source>Another interpreter, or other options of XLA</source>
        <translation>另一个解释器，或 XLA 的其他选项</translation>
    </message>
    <message>
        <source>Another version</source>
        <translation>另一个版本</translation>
    </message>
    <message>
        <source>Applies a computation to every element.</source>
        <translation>对每个元素应用一个计算。</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Are the two draws of `reused` different? Do eager, jitted and vmapped code agree on the numbers that a key yields?</source>
        <translation>`reused` 的两次抽取不同吗？急切执行、jit 和 vmap 的代码对一个密钥给出的数是否一致？</translation>
    </message>
    <message>
        <source>Argument `{argument}` of `{function}` is static, and this loop gives it a new value in each round: jax.jit traces and compiles again for every value.</source>
        <translation>`{function}` 的参数 `{argument}` 是静态的，而这个循环每一轮给它一个新的值：jax.jit 对每个值都重新追踪和编译。</translation>
    </message>
    <message>
        <source>Argument {number} comes back with other types: {told}. Called with its own result, the function is traced and compiled a second time.</source>
        <translation>参数 {number} 返回时类型变了：{told}。用自己的结果再次调用时，这个函数会再追踪和编译一次。</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Arguments and results</source>
        <translation>参数和结果</translation>
    </message>
    <message>
        <source>Arguments are loaded from files on this machine only.</source>
        <translation>参数只能从这台机器上的文件载入。</translation>
    </message>
    <message>
        <source>Arguments of the script</source>
        <translation>脚本的参数</translation>
    </message>
    <message>
        <source>Arguments …</source>
        <translation>参数 …</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>算术</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>排列</translation>
    </message>
    <message>
        <source>Arrays (*.npy *.npz *.safetensors *.png *.jpg *.jpeg *.gif *.bmp *.webp *.tif *.tiff)</source>
        <translation>数组 (*.npy *.npz *.safetensors *.png *.jpg *.jpeg *.gif *.bmp *.webp *.tif *.tiff)</translation>
    </message>
    <message>
        <source>Arrays and how they are spread</source>
        <translation>数组及其分布方式</translation>
    </message>
    <message>
        <source>Arrays are written by their type, such as f32[8, 2]: {types}.</source>
        <translation>数组按类型来写，例如 f32[8, 2]：{types}。</translation>
    </message>
    <message>
        <source>Arrays are written like f32[8, 2]; numbers, lists and dictionaries as in Python.</source>
        <translation>数组写成 f32[8, 2] 这样；数字、列表和字典按 Python 的写法。</translation>
    </message>
    <message>
        <source>Arrays are written short: {shorthand}[8, 2].</source>
        <translation>数组用简短的写法：{shorthand}[8, 2]。</translation>
    </message>
    <message>
        <source>Arrays do not change</source>
        <translation>数组不会改变</translation>
    </message>
    <message>
        <source>Arrays in dictionaries, lists, tuples and other containers; each is a leaf.</source>
        <translation>放在字典、列表、元组和其他容器中的数组；每个数组是一个叶子。</translation>
    </message>
    <message>
        <source>Arrays that the program brings along are one box.</source>
        <translation>程序自带的数组是一个方框。</translation>
    </message>
    <message>
        <source>As many results as `axis` is long; each is without that dimension.</source>
        <translation>`axis` 有多长就有多少个结果；每个结果都没有这一维。</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>As {other} calls it: {fate}.</source>
        <translation>在 {other} 的调用中：{fate}。</translation>
    </message>
    <message>
        <source>As {other} calls it: {text} In the call of its id: {fate}.</source>
        <translation>在 {other} 的调用中：{text} 在它的 id 所指的调用中：{fate}。</translation>
    </message>
    <message>
        <source>Ask for {given}; or switch them on before the first array is made: jax.config.update("jax_enable_x64", True), JAX_ENABLE_X64=1, jaxscope … --x64.</source>
        <translation>请求 {given}；或者在生成第一个数组之前打开它们：jax.config.update("jax_enable_x64", True)，JAX_ENABLE_X64=1，jaxscope … --x64。</translation>
    </message>
    <message>
        <source>Asks the compiler to lay an array out over devices in a given way.</source>
        <translation>要求编译器以给定的方式把数组分布到设备上。</translation>
    </message>
    <message>
        <source>Asynchronous dispatch</source>
        <translation>异步派发</translation>
    </message>
    <message>
        <source>At -1 and 1 it is infinite.</source>
        <translation>在 -1 和 1 处为无穷大。</translation>
    </message>
    <message>
        <source>At every size: {told}</source>
        <translation>在每个大小：{told}</translation>
    </message>
    <message>
        <source>At its first call that makes NaN or Inf</source>
        <translation>在首次产生 NaN 或 Inf 的那次调用处</translation>
    </message>
    <message>
        <source>At most {max_files} files and {max_bytes} MiB are sent.</source>
        <translation>最多发送 {max_files} 个文件、{max_bytes} MiB。</translation>
    </message>
    <message>
        <source>At most {peak} is in use at a time, {temporary} of temporaries.</source>
        <translation>同时最多占用 {peak}，其中临时量 {temporary}。</translation>
    </message>
    <message>
        <source>At {equation}</source>
        <translation>正在方程 {equation}</translation>
    </message>
    <message>
        <source>At {sizes}: {told}</source>
        <translation>在大小 {sizes}：{told}</translation>
    </message>
    <message>
        <source>Axes count from 0, and from -1 backwards: an array with two has 0, 1, -1 and -2.</source>
        <translation>轴从 0 数起，反向从 -1 数起：有两个轴的数组有 0、1、-1 和 -2。</translation>
    </message>
    <message>
        <source>Axis of argument {argument}</source>
        <translation>参数 {argument} 的轴</translation>
    </message>
    <message>
        <source>B=, B2=: axes added by vmap, the outer first</source>
        <translation>B=、B2=：vmap 添加的轴，外层在前</translation>
    </message>
    <message>
        <source>B=, B2=: vmap, outer first</source>
        <translation>B=、B2=：vmap，外层在前</translation>
    </message>
    <message>
        <source>B=: axis added by vmap</source>
        <translation>B=：vmap 添加的轴</translation>
    </message>
    <message>
        <source>B=: vmap</source>
        <translation>B=：vmap</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Back to what was selected before</source>
        <translation>返回之前的选择</translation>
    </message>
    <message>
        <source>Backward is a `scatter-add`: rows that were picked twice get both cotangents.</source>
        <translation>反向是 `scatter-add`：取了两次的行得到两个余切之和。</translation>
    </message>
    <message>
        <source>Backwards along one operand each: the one with NaN or Inf, else one with a zero, else the one with the largest element. A click goes there.</source>
        <translation>沿着操作数逐个往回走：先选含 NaN 或 Inf 的，其次选含零的，再其次选元素最大的。单击即可转到那里。</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Batch size of shorthands</source>
        <translation>简写的批大小</translation>
    </message>
    <message>
        <source>Before it, it is the program of all devices, but for the insides of shard_map; after it, what each device runs.</source>
        <translation>优化之前是所有设备的程序，shard_map 的内部除外；优化之后是每个设备运行的程序。</translation>
    </message>
    <message>
        <source>Before optimization: as if each instruction were a kernel of its own.</source>
        <translation>优化之前：当作每条指令都是单独的内核。</translation>
    </message>
    <message>
        <source>Before optimizing, the program as a whole has {flops}, and {moved} read and written; optimized, each of {num_devices:,} devices has {flops_after}, and {moved_after} read and written.</source>
        <translation>优化之前，整个程序有 {flops}，读写 {moved}；优化之后，{num_devices:,} 个设备中的每一个有 {flops_after}，读写 {moved_after}。</translation>
    </message>
    <message>
        <source>Begin where the slice fits. Where leaving the array is meant, fill what is outside: x.at[start + jnp.arange(size)].get(mode="fill", fill_value=0).</source>
        <translation>请从切片放得下的地方开始。若有意超出数组，请填充外面的部分：x.at[start + jnp.arange(size)].get(mode="fill", fill_value=0)。</translation>
    </message>
    <message>
        <source>Begin where the update fits. Where leaving the array is meant, drop what is outside: x.at[start + jnp.arange(size)].set(y, mode="drop").</source>
        <translation>请从更新放得下的地方开始。若有意超出数组，请丢弃外面的部分：x.at[start + jnp.arange(size)].set(y, mode="drop")。</translation>
    </message>
    <message>
        <source>Beginning and end of each as they happened; beside a bar what it takes once, median.</source>
        <translation>各项实际开始和结束的时间；条形旁边是一次的用时，中位数。</translation>
    </message>
    <message>
        <source>Behind the last line</source>
        <translation>到最后一行之后</translation>
    </message>
    <message>
        <source>Besides, {functions} of exp, sin and the like: XLA counts them apart.</source>
        <translation>此外还有 {functions} 次 exp、sin 之类：XLA 把它们单独计数。</translation>
    </message>
    <message>
        <source>Besides, {programs} ({seconds}) were compiled outside of calls of jitted functions, for single operations and within transforms: {named}.</source>
        <translation>此外，在 jit 函数的调用之外，为单个运算以及在变换之中编译了 {programs}（{seconds}）：{named}。</translation>
    </message>
    <message>
        <source>Between two operations on single elements: fused with them.</source>
        <translation>在两个逐元素运算之间：与它们融合。</translation>
    </message>
    <message>
        <source>Between two operations on single elements: no work is left.</source>
        <translation>在两个逐元素运算之间：不剩任何工作。</translation>
    </message>
    <message>
        <source>Between two operations on single elements: not fused, {names} stands alone.</source>
        <translation>在两个逐元素运算之间：不融合，{names} 单独存在。</translation>
    </message>
    <message>
        <source>Bitwise and, or logical and for booleans, element by element.</source>
        <translation>逐元素的按位与；对布尔值是逻辑与。</translation>
    </message>
    <message>
        <source>Bitwise exclusive or, element by element.</source>
        <translation>逐元素的按位异或。</translation>
    </message>
    <message>
        <source>Bitwise not, or logical not for booleans.</source>
        <translation>按位取反；对布尔值是逻辑非。</translation>
    </message>
    <message>
        <source>Bitwise or logical and, element by element.</source>
        <translation>逐元素的按位与或逻辑与。</translation>
    </message>
    <message>
        <source>Bitwise or logical not.</source>
        <translation>按位取反或逻辑非。</translation>
    </message>
    <message>
        <source>Bitwise or logical or, element by element.</source>
        <translation>逐元素的按位或、逻辑或。</translation>
    </message>
    <message>
        <source>Bitwise or, or logical or for booleans, element by element.</source>
        <translation>逐元素的按位或；对布尔值是逻辑或。</translation>
    </message>
    <message>
        <source>Bookmark before</source>
        <translation>上一个书签</translation>
    </message>
    <message>
        <source>Bookmark what is selected, or no longer</source>
        <translation>为所选内容加书签，或取消</translation>
    </message>
    <message>
        <source>Bookmarked.</source>
        <translation>已加书签。</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>书签</translation>
    </message>
    <message>
        <source>Both branches are computed, and a select chooses: {text}</source>
        <translation>两个分支都会计算，由一个 select 选择：{text}</translation>
    </message>
    <message>
        <source>Both cases are computed. What flows back to the one that is not picked is 0, and 0 times an infinite derivative is NaN: the gradient of where(x &gt; 0, sqrt(x), 0) at 0 is NaN.</source>
        <translation>两种情况都会计算。流回没有选中的那一个的是 0，而 0 乘以无穷大的导数是 NaN：where(x &gt; 0, sqrt(x), 0) 在 0 处的梯度是 NaN。</translation>
    </message>
    <message>
        <source>Both modes differentiate what is inside, and leave a `jit` around it.</source>
        <translation>两种模式都对里面的内容求导，并在外面保留一个 `jit`。</translation>
    </message>
    <message>
        <source>Both modes differentiate what is inside, and leave a `shard_map` around it.</source>
        <translation>两种模式都对里面的内容求导，并在外面保留一个 `shard_map`。</translation>
    </message>
    <message>
        <source>Both modes give a `cond` again, on the same index, whose branches are the derivatives.</source>
        <translation>两种模式都再给出一个 `cond`，下标相同，它的分支是各分支的导数。</translation>
    </message>
    <message>
        <source>Both texts, line against line</source>
        <translation>两份文本，逐行对照</translation>
    </message>
    <message>
        <source>Box repeats</source>
        <translation>框起重复部分</translation>
    </message>
    <message>
        <source>Bundles several values; costs nothing.</source>
        <translation>把几个值捆在一起；没有开销。</translation>
    </message>
    <message>
        <source>By its content it is no HLO, StableHLO or jaxpr, nothing that jax.export serialized, no profile and no capture; and no text in which JAX logs compilations or XLA lacks memory.</source>
        <translation>从内容看，它不是 HLO、StableHLO 或 jaxpr，不是 jax.export 序列化的内容，不是性能剖析，也不是捕获；也不是 JAX 记录编译或 XLA 报告内存不足的文本。</translation>
    </message>
    <message>
        <source>By its content it is {form}.</source>
        <translation>从内容看，它是{form}。</translation>
    </message>
    <message>
        <source>By published peaks alone a run takes least on {low}, {least}, and most on {high}, {most}.</source>
        <translation>只按公布的峰值，运行一次在 {low} 上用时最少，为 {least}；在 {high} 上用时最多，为 {most}。</translation>
    </message>
    <message>
        <source>By published peaks alone a run takes {seconds}{where}.</source>
        <translation>只按公布的峰值，运行一次用时 {seconds}{where}。</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>Call a plain function: what is awaited runs before or after the traced code.</source>
        <translation>请调用普通函数：要 await 的内容放在被追踪的代码之前或之后运行。</translation>
    </message>
    <message>
        <source>Call it on what the function returns.</source>
        <translation>请在函数返回的结果上调用它。</translation>
    </message>
    <message>
        <source>Call it with arguments: {call}(…).</source>
        <translation>请带参数调用它：{call}(…)。</translation>
    </message>
    <message>
        <source>Call the function under `jax.vmap(f, axis_name=…)`, or in `jax.shard_map` over a mesh with an axis of that name.</source>
        <translation>请在 `jax.vmap(f, axis_name=…)` 之下调用该函数，或在网格有此名称的轴的 `jax.shard_map` 中调用。</translation>
    </message>
    <message>
        <source>Call to compare with</source>
        <translation>要比较的调用</translation>
    </message>
    <message>
        <source>Called {times} with the same arguments, jit ran {ran}.</source>
        <translation>用相同的参数调用了 {times}，jit 运行了 {ran}。</translation>
    </message>
    <message>
        <source>Calling it again</source>
        <translation>正在再次调用</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>各个调用</translation>
    </message>
    <message>
        <source>Calls a Python function with side effects while the program runs.</source>
        <translation>在程序运行时调用一个有副作用的 Python 函数。</translation>
    </message>
    <message>
        <source>Calls a Python function without side effects while the program runs.</source>
        <translation>在程序运行时调用一个没有副作用的 Python 函数。</translation>
    </message>
    <message>
        <source>Calls back into Python while the program runs; `jax.debug.print` is this.</source>
        <translation>在程序运行时回调 Python；`jax.debug.print` 就是它。</translation>
    </message>
    <message>
        <source>Calls code that is not XLA's own: a library such as oneDNN, cuBLAS or LAPACK, or a Python callback. XLA cannot look inside.</source>
        <translation>调用不属于 XLA 的代码：oneDNN、cuBLAS 或 LAPACK 之类的库，或者一个 Python 回调。XLA 看不到里面。</translation>
    </message>
    <message>
        <source>Calls so fast that {num} were timed together</source>
        <translation>调用太快，所以每 {num} 次一起计时</translation>
    </message>
    <message>
        <source>Calls to run, one a line</source>
        <translation>要运行的调用，每行一个</translation>
    </message>
    <message>
        <source>Capture</source>
        <translation>捕获</translation>
    </message>
    <message>
        <source>Captured arrays</source>
        <translation>被捕获的数组</translation>
    </message>
    <message>
        <source>Captures (*.jaxscope)</source>
        <translation>捕获 (*.jaxscope)</translation>
    </message>
    <message>
        <source>Cast it once, before the calls.</source>
        <translation>请在调用之前统一转换一次。</translation>
    </message>
    <message>
        <source>Change a transform of the call …</source>
        <translation>修改调用的一个变换 …</translation>
    </message>
    <message>
        <source>Change the file or the target and run the call again.</source>
        <translation>修改文件或目标，再次运行这个调用。</translation>
    </message>
    <message>
        <source>Change the file's permissions.</source>
        <translation>请更改文件的权限。</translation>
    </message>
    <message>
        <source>Chart (*.svg *.png);;Table (*.csv);;Data (*.json)</source>
        <translation>图表 (*.svg *.png);;表格 (*.csv);;数据 (*.json)</translation>
    </message>
    <message>
        <source>Chart; its table has the same values</source>
        <translation>图表；它的表格有同样的数值</translation>
    </message>
    <message>
        <source>Chart; the table below has the same values</source>
        <translation>图表；下面的表格有同样的数值</translation>
    </message>
    <message>
        <source>Check its path, and that you may read it.</source>
        <translation>请检查它的路径，以及您是否有读取权限。</translation>
    </message>
    <message>
        <source>Check its path: --python, in the window Run, Choose the interpreter.</source>
        <translation>请检查它的路径：--python，在窗口中是“运行”里的“选择解释器”。</translation>
    </message>
    <message>
        <source>Check that it is a .jaxscope file and was copied completely.</source>
        <translation>请检查它是 .jaxscope 文件，并且已经完整复制。</translation>
    </message>
    <message>
        <source>Check that it was written and copied completely.</source>
        <translation>请检查它是否已完整写入和复制。</translation>
    </message>
    <message>
        <source>Check the machine and the port.</source>
        <translation>请检查机器和端口。</translation>
    </message>
    <message>
        <source>Check the name and the folder.</source>
        <translation>请检查名称和文件夹。</translation>
    </message>
    <message>
        <source>Check the name; `ssh {machine}` must work in a terminal.</source>
        <translation>请检查名称；`ssh {machine}` 必须能在终端中使用。</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>请检查路径。</translation>
    </message>
    <message>
        <source>Check the path; was the file moved or deleted?</source>
        <translation>请检查路径；文件是否被移动或删除了？</translation>
    </message>
    <message>
        <source>Check the recursion's end; for deep models use `jax.lax.scan` over the layers.</source>
        <translation>请检查递归的终点；对于很深的模型，对各层使用 `jax.lax.scan`。</translation>
    </message>
    <message>
        <source>Checks and messages</source>
        <translation>检查和消息</translation>
    </message>
    <message>
        <source>Chips</source>
        <translation>芯片</translation>
    </message>
    <message>
        <source>Chips and targets, with commas between: v5e:2x2, h100:8, cpu:8</source>
        <translation>芯片和目标，用逗号分隔：v5e:2x2, h100:8, cpu:8</translation>
    </message>
    <message>
        <source>Chips are {names}; written as {examples}.</source>
        <translation>芯片有 {names}；写法如 {examples}。</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to.</source>
        <translation>请选择一个您有写入权限的文件夹。</translation>
    </message>
    <message>
        <source>Choose a larger topology, or a smaller mesh.</source>
        <translation>请选择更大的拓扑，或更小的网格。</translation>
    </message>
    <message>
        <source>Choose a newer one: --python, in the window Run, Choose the interpreter.</source>
        <translation>请选择更新的解释器：--python，在窗口中是“运行”里的“选择解释器”。</translation>
    </message>
    <message>
        <source>Choose a pass to see the module before and after it.</source>
        <translation>选择一个 pass，查看它之前和之后的模块。</translation>
    </message>
    <message>
        <source>Choose a pass to see what it changed.</source>
        <translation>选择一个 pass，查看它改变了什么。</translation>
    </message>
    <message>
        <source>Choose a row to read how it was measured.</source>
        <translation>选择一行，查看它是如何测量的。</translation>
    </message>
    <message>
        <source>Choose a target with several devices, such as cpu:8, to spread arrays.</source>
        <translation>要把数组分布到多个设备，请选择有多个设备的目标，例如 cpu:8。</translation>
    </message>
    <message>
        <source>Choose another file with Open (Ctrl+O).</source>
        <translation>请用“打开”（Ctrl+O）选择另一个文件。</translation>
    </message>
    <message>
        <source>Choose at least one argument.</source>
        <translation>请至少选择一个参数。</translation>
    </message>
    <message>
        <source>Choose one: --module NAME. There are: {told}</source>
        <translation>请选择一个：--module NAME。有：{told}</translation>
    </message>
    <message>
        <source>Choose shardings that differ along fewer axes, or go through one that is between them.</source>
        <translation>请选择在更少的轴上不同的分布，或先经过介于两者之间的一种。</translation>
    </message>
    <message>
        <source>Choose the interpreter of your code</source>
        <translation>选择运行您的代码的解释器</translation>
    </message>
    <message>
        <source>Choose the interpreter …</source>
        <translation>选择解释器 …</translation>
    </message>
    <message>
        <source>Choose the target</source>
        <translation>选择目标</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>选择 …</translation>
    </message>
    <message>
        <source>Click a line: what came of it lights up in every stage, and below stands what became of it. The margin says what share of the work a line has.</source>
        <translation>单击一行：由它产生的内容会在每个阶段亮起，下面写着它变成了什么。页边显示一行占多少工作量。</translation>
    </message>
    <message>
        <source>Click: jaxscope looks for arguments that it takes.</source>
        <translation>单击：jaxscope 会寻找它能接受的参数。</translation>
    </message>
    <message>
        <source>Close all groups</source>
        <translation>收起所有组</translation>
    </message>
    <message>
        <source>Close the lesson</source>
        <translation>关闭课程</translation>
    </message>
    <message>
        <source>Close the lesson; Help brings it back</source>
        <translation>关闭课程；可从“帮助”再次打开</translation>
    </message>
    <message>
        <source>Close this view</source>
        <translation>关闭此视图</translation>
    </message>
    <message>
        <source>Close what has the keyboard</source>
        <translation>关闭键盘所在的部分</translation>
    </message>
    <message>
        <source>Closed group, Enter opens it.</source>
        <translation>收起的组，按 Enter 展开。</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Code that XLA calls instead of making it, such as oneDNN or cuBLAS.</source>
        <translation>XLA 自己不生成而去调用的代码，例如 oneDNN 或 cuBLAS。</translation>
    </message>
    <message>
        <source>Collectives of the optimized program</source>
        <translation>优化后的程序中的集合通信</translation>
    </message>
    <message>
        <source>Colour boxes</source>
        <translation>方框着色</translation>
    </message>
    <message>
        <source>Colour the boxes by this</source>
        <translation>方框按此着色</translation>
    </message>
    <message>
        <source>Colour the graphs by time</source>
        <translation>图按时间着色</translation>
    </message>
    <message>
        <source>Combines a value over all devices; each receives the result.</source>
        <translation>在所有设备之间合并一个值；每个设备都得到结果。</translation>
    </message>
    <message>
        <source>Combines the elements along axes with a function of your own.</source>
        <translation>用您自己的函数把沿若干轴的元素合并起来。</translation>
    </message>
    <message>
        <source>Combines the elements along dimensions with a small computation, such as a sum.</source>
        <translation>用一个小的计算（例如求和）把沿若干维度的元素合并起来。</translation>
    </message>
    <message>
        <source>Combines the elements of every window, as pooling does.</source>
        <translation>把每个窗口中的元素合并起来，池化就是这样做的。</translation>
    </message>
    <message>
        <source>Command to look for</source>
        <translation>要查找的命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands that fit</source>
        <translation>匹配的命令</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare results</source>
        <translation>比较结果</translation>
    </message>
    <message>
        <source>Compare the arguments of the call with what the assertion asks for.</source>
        <translation>请把调用的参数与断言的要求相比较。</translation>
    </message>
    <message>
        <source>Compare the call with the function's parameters.</source>
        <translation>请把调用与函数的参数列表相比较。</translation>
    </message>
    <message>
        <source>Compare the call with the function's parameters. Where it takes any name, mark this one static: `jit(f, static_argnames=…)`.</source>
        <translation>请将调用与函数的参数对照。如果函数接受任意名称，请将该参数标记为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Compare the policies</source>
        <translation>比较各种策略</translation>
    </message>
    <message>
        <source>Compare the shapes named here with those in the call.</source>
        <translation>请把这里列出的形状与调用中的形状相比较。</translation>
    </message>
    <message>
        <source>Compare the types named here.</source>
        <translation>请比较这里列出的类型。</translation>
    </message>
    <message>
        <source>Compare this value</source>
        <translation>比较这个值</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Compare without this pass</source>
        <translation>与去掉此 pass 的程序比较</translation>
    </message>
    <message>
        <source>Compare without {name}</source>
        <translation>与去掉 {name} 的程序比较</translation>
    </message>
    <message>
        <source>Compare, such as `i &lt; n`, and make one answer of an array by `.any()` or `.all()`; `jnp.where` chooses element by element.</source>
        <translation>请作比较，例如 `i &lt; n`，并用 `.any()` 或 `.all()` 把数组变成一个答案；`jnp.where` 逐元素选择。</translation>
    </message>
    <message>
        <source>Compares two arrays element by element.</source>
        <translation>逐元素比较两个数组。</translation>
    </message>
    <message>
        <source>Comparing equation by equation</source>
        <translation>正在逐个方程比较</translation>
    </message>
    <message>
        <source>Comparing …</source>
        <translation>正在比较 …</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>Compile it for a chip that need not be here, such as `--target aot:tpu:v5e:2x2` or `aot:gpu:h100`; or call `pallas_call` with `interpret=True`.</source>
        <translation>请为一个不必在本机的芯片编译，例如 `--target aot:tpu:v5e:2x2` 或 `aot:gpu:h100`；或者用 `interpret=True` 调用 `pallas_call`。</translation>
    </message>
    <message>
        <source>Compile time</source>
        <translation>编译时间</translation>
    </message>
    <message>
        <source>Compiled ahead of time: no autotuning chose among kernels, and nothing ran, so there are no values and no measured times.</source>
        <translation>提前编译：没有在内核之间自动调优，也没有运行，所以没有值，也没有测得的时间。</translation>
    </message>
    <message>
        <source>Compiled as a whole.</source>
        <translation>作为整体编译。</translation>
    </message>
    <message>
        <source>Compiled here, it needs no less memory.</source>
        <translation>在这里编译后，它需要的内存并没有减少。</translation>
    </message>
    <message>
        <source>Compiled with options of XLA: {told}.</source>
        <translation>用 XLA 的选项编译：{told}。</translation>
    </message>
    <message>
        <source>Compiled; each call timed by itself until its result was ready, in {turns}, the first calls of each left out, garbage collector off.</source>
        <translation>编译后的程序；每次调用单独计时到结果就绪，按{turns}进行，略去每组最前面的调用，关闭垃圾回收。</translation>
    </message>
    <message>
        <source>Compiles the call once more with xla_disable_hlo_passes, wherever this pass runs, and shows both programs on the page Compare.</source>
        <translation>用 xla_disable_hlo_passes 在此 pass 出现的所有地方去掉它，再编译一次这个调用，并在“比较”页上显示两个程序。</translation>
    </message>
    <message>
        <source>Compiles the function; the stages stay the same.</source>
        <translation>编译这个函数；各阶段不变。</translation>
    </message>
    <message>
        <source>Compiling once more, to record XLA's passes</source>
        <translation>正在再编译一次，以记录 XLA 的 pass</translation>
    </message>
    <message>
        <source>Compiling the gradient, {shown}</source>
        <translation>正在编译梯度，{shown}</translation>
    </message>
    <message>
        <source>Compiling the program</source>
        <translation>正在编译程序</translation>
    </message>
    <message>
        <source>Compiling the {noun}</source>
        <translation>正在编译{noun}</translation>
    </message>
    <message>
        <source>Compiling the {side} program</source>
        <translation>正在编译{side}程序</translation>
    </message>
    <message>
        <source>Compiling under XLA's recorder</source>
        <translation>正在 XLA 的记录器下编译</translation>
    </message>
    <message>
        <source>Compiling with XLA</source>
        <translation>正在用 XLA 编译</translation>
    </message>
    <message>
        <source>Compiling without parts of the compiler</source>
        <translation>正在去掉编译器的一些部分来编译</translation>
    </message>
    <message>
        <source>Compiling …</source>
        <translation>正在编译 …</translation>
    </message>
    <message>
        <source>Compressing</source>
        <translation>正在压缩</translation>
    </message>
    <message>
        <source>Computes inner values again in the backward pass to save memory.</source>
        <translation>在反向过程中重新计算内部的值，以节省内存。</translation>
    </message>
    <message>
        <source>Computing the gradient takes a forward and a backward pass. What does it cost to get the loss as well?</source>
        <translation>计算梯度需要一次前向和一次反向过程。若还要得到损失值，代价是多少？</translation>
    </message>
    <message>
        <source>Condition to stop at</source>
        <translation>停止的条件</translation>
    </message>
    <message>
        <source>Connect once with `ssh {machine}` in a terminal and compare the key.</source>
        <translation>请在终端中用 `ssh {machine}` 连接一次，并核对密钥。</translation>
    </message>
    <message>
        <source>Control flow</source>
        <translation>控制流</translation>
    </message>
    <message>
        <source>Convert one of the arrays, such as by `x.astype(y.dtype)`.</source>
        <translation>请转换其中一个数组，例如用 `x.astype(y.dtype)`。</translation>
    </message>
    <message>
        <source>Convert the array before it is saved.</source>
        <translation>请在保存之前转换数组。</translation>
    </message>
    <message>
        <source>Converts every element to another type, such as float32 to bfloat16. Costs a pass over memory unless it is fused.</source>
        <translation>把每个元素转换为另一种类型，例如从 float32 到 bfloat16。除非被融合，否则要在内存中走一遍。</translation>
    </message>
    <message>
        <source>Converts every element to another type.</source>
        <translation>把每个元素转换为另一种类型。</translation>
    </message>
    <message>
        <source>Convolution, layer norm, leaky ReLU</source>
        <translation>卷积、层归一化、leaky ReLU</translation>
    </message>
    <message>
        <source>Copies a random key.</source>
        <translation>复制一个随机密钥。</translation>
    </message>
    <message>
        <source>Copies an array, often only to change its layout in memory.</source>
        <translation>复制一个数组，往往只是为了改变它在内存中的布局。</translation>
    </message>
    <message>
        <source>Copies an array.</source>
        <translation>复制一个数组。</translation>
    </message>
    <message>
        <source>Copies and broadcasts before the work are one box, and those after it another.</source>
        <translation>工作之前的复制和广播是一个方框，之后的是另一个。</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation>复制版本信息</translation>
    </message>
    <message>
        <source>Copying arguments and results</source>
        <translation>正在复制参数和结果</translation>
    </message>
    <message>
        <source>Correct the environment variable XLA_FLAGS; the file is not to blame.</source>
        <translation>请改正环境变量 XLA_FLAGS；问题不在文件。</translation>
    </message>
    <message>
        <source>Correct the environment, which sets {settings}.</source>
        <translation>请改正设置了 {settings} 的环境。</translation>
    </message>
    <message>
        <source>Correct the marked place.</source>
        <translation>请改正标出的位置。</translation>
    </message>
    <message>
        <source>Cost and time</source>
        <translation>开销和时间</translation>
    </message>
    <message>
        <source>Cost, time, memory</source>
        <translation>开销、时间、内存</translation>
    </message>
    <message>
        <source>Counted once: {size} inside {count} used in several places.</source>
        <translation>只计一次：在多处使用的 {count}中的 {size}。</translation>
    </message>
    <message>
        <source>Counted once: {size} inside {label}, used in {num_calls:,} places.</source>
        <translation>只计一次：{label} 中的 {size}，它在 {num_calls:,} 处被使用。</translation>
    </message>
    <message>
        <source>Counting the work of the stage {stage}</source>
        <translation>正在计算阶段 {stage} 的工作量</translation>
    </message>
    <message>
        <source>Counts 0, 1, 2, … along a dimension.</source>
        <translation>沿一个维度依次数出 0、1、2 等等。</translation>
    </message>
    <message>
        <source>Counts 0, 1, 2, … along a dimension; `jnp.arange` becomes this.</source>
        <translation>沿一个维度依次数出 0、1、2 等等；`jnp.arange` 会变成它。</translation>
    </message>
    <message>
        <source>Counts the bits that are set in every integer.</source>
        <translation>数出每个整数中为 1 的位。</translation>
    </message>
    <message>
        <source>Counts the bits that are set.</source>
        <translation>数出为 1 的位。</translation>
    </message>
    <message>
        <source>Counts the leading zero bits of every integer.</source>
        <translation>数出每个整数开头的零位。</translation>
    </message>
    <message>
        <source>Course of lessons</source>
        <translation>课程全集</translation>
    </message>
    <message>
        <source>Ctrl+Enter. What is cancelled is here again the next time.</source>
        <translation>Ctrl+Enter。取消后，所输入的内容下次仍在这里。</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Custom rules</source>
        <translation>自定义规则</translation>
    </message>
    <message>
        <source>Cuts a block at a fixed place.</source>
        <translation>在固定的位置切出一块。</translation>
    </message>
    <message>
        <source>Cuts a block whose place is known only when the program runs.</source>
        <translation>切出一块，其位置在程序运行时才知道。</translation>
    </message>
    <message>
        <source>Cuts a block whose place is known only when the program runs; the size is fixed.</source>
        <translation>切出一块，其位置在程序运行时才知道；大小是固定的。</translation>
    </message>
    <message>
        <source>Cuts an array into its parts along an axis, which the parts no longer have.</source>
        <translation>沿一个轴把数组切成各个部分，这些部分不再有该轴。</translation>
    </message>
    <message>
        <source>Cuts an array into several along an axis.</source>
        <translation>沿一个轴把数组切成几个。</translation>
    </message>
    <message>
        <source>Data always holds everything.</source>
        <translation>数据文件总是包含全部内容。</translation>
    </message>
    <message>
        <source>Decide outside of vmap where all elements agree; sort the elements by branch and map each part; or jax.lax.map(f, xs), which runs the elements one after the other and one branch each.</source>
        <translation>在所有元素一致的地方，把判断放到 vmap 之外；把元素按分支排序，对各部分分别映射；或者用 jax.lax.map(f, xs)，它逐个元素运行，每个元素只运行一个分支。</translation>
    </message>
    <message>
        <source>Depends on no argument, and no instruction is left that computes it.</source>
        <translation>不依赖任何参数，也没有剩下计算它的指令。</translation>
    </message>
    <message>
        <source>Depends on no argument: its value was computed{who}.</source>
        <translation>不依赖任何参数：它的值已经算好 {who}。</translation>
    </message>
    <message>
        <source>Depends on no argument: one of {names} holds its value, or one made of it.</source>
        <translation>不依赖任何参数：{names} 之一含有它的值，或由它算出的值。</translation>
    </message>
    <message>
        <source>Depends on no argument: {names} holds its value, or one made of it.</source>
        <translation>不依赖任何参数：{names} 含有它的值，或由它算出的值。</translation>
    </message>
    <message>
        <source>Derivatives by hand, and what the backward pass remembers.</source>
        <translation>手写的导数，以及反向过程记住什么。</translation>
    </message>
    <message>
        <source>Derivatives of derivatives</source>
        <translation>导数的导数</translation>
    </message>
    <message>
        <source>Device whose parts are marked</source>
        <translation>要标出其部分的设备</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Devices, arguments and results lie alike on both sides.</source>
        <translation>两侧的设备、参数和结果的放置相同。</translation>
    </message>
    <message>
        <source>Did you mean {calls}?</source>
        <translation>您是指 {calls} 吗？</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差别</translation>
    </message>
    <message>
        <source>Differences ({rowCount:,})</source>
        <translation>差别（{rowCount:,}）</translation>
    </message>
    <message>
        <source>Differences of equations</source>
        <translation>方程的差别</translation>
    </message>
    <message>
        <source>Differences of results</source>
        <translation>结果的差别</translation>
    </message>
    <message>
        <source>Different in {names}.</source>
        <translation>在以下阶段不同：{names}。</translation>
    </message>
    <message>
        <source>Different: the arguments or results differ in size.</source>
        <translation>不同：参数或结果的大小不同。</translation>
    </message>
    <message>
        <source>Different: the arguments or results lie on other devices.</source>
        <translation>不同：参数或结果位于其他设备上。</translation>
    </message>
    <message>
        <source>Differentiate</source>
        <translation>微分</translation>
    </message>
    <message>
        <source>Differentiate something smooth: jax.nn.softmax for an argmax, jax.nn.sigmoid for a comparison; or pass the gradient straight through: x + jax.lax.stop_gradient(jnp.round(x) - x).</source>
        <translation>对光滑的函数求导：用 jax.nn.softmax 代替 argmax，用 jax.nn.sigmoid 代替比较；或者让梯度直接通过：x + jax.lax.stop_gradient(jnp.round(x) - x)。</translation>
    </message>
    <message>
        <source>Dimension i of the operand is dimension `dimensions[i]` of the result, and has its size.</source>
        <translation>操作数的第 i 维是结果的第 `dimensions[i]` 维，大小也相同。</translation>
    </message>
    <message>
        <source>Dimension i of the result is dimension `dimensions[i]` of the operand.</source>
        <translation>结果的第 i 维是操作数的第 `dimensions[i]` 维。</translation>
    </message>
    <message>
        <source>Dimension i of the result is dimension `permutation[i]` of x.</source>
        <translation>结果的第 i 维是 x 的第 `permutation[i]` 维。</translation>
    </message>
    <message>
        <source>Dimension {axis} of {path} took {count} sizes ({sizes}).</source>
        <translation>{path} 的第 {axis} 维出现了 {count} 种大小（{sizes}）。</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>不再显示</translation>
    </message>
    <message>
        <source>Dissolve wrappers</source>
        <translation>去掉包装</translation>
    </message>
    <message>
        <source>Distribution of call times; its table has the same values</source>
        <translation>调用时间的分布；它的表格有同样的数值</translation>
    </message>
    <message>
        <source>Distributions</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>Divide by what is not 0: safe = jnp.where(y != 0, y, 1.0); jnp.where(y != 0, x / safe, 0.0). Where y is a root, as a norm is, do so under the root, whose derivative at 0 is infinite: safe = jnp.where(s &gt; 0, s, 1.0); jnp.where(s &gt; 0, x / jnp.sqrt(safe), 0.0).</source>
        <translation>除以不为 0 的数：safe = jnp.where(y != 0, y, 1.0); jnp.where(y != 0, x / safe, 0.0)。若 y 是根（如范数），则在根号下这样做，因为根在 0 处的导数是无穷大：safe = jnp.where(s &gt; 0, s, 1.0); jnp.where(s &gt; 0, x / jnp.sqrt(safe), 0.0)。</translation>
    </message>
    <message>
        <source>Divides element by element.</source>
        <translation>逐元素相除。</translation>
    </message>
    <message>
        <source>Do eager, jit and double precision agree?</source>
        <translation>急切执行、jit 和双精度的结果一致吗？</translation>
    </message>
    <message>
        <source>Do the two styles of the classifier, `setup` and `@compact`, make different programs?</source>
        <translation>分类器的两种风格 `setup` 和 `@compact` 会得到不同的程序吗？</translation>
    </message>
    <message>
        <source>Document with the graph</source>
        <translation>含图的文档</translation>
    </message>
    <message>
        <source>Does `ssh {machine} {python} --version` answer in a terminal?</source>
        <translation>在终端中运行 `ssh {machine} {python} --version` 有回应吗？</translation>
    </message>
    <message>
        <source>Does `{machine} {python} --version` answer in a terminal?</source>
        <translation>在终端中运行 `{machine} {python} --version` 有回应吗？</translation>
    </message>
    <message>
        <source>Does it close file descriptors that it did not open?</source>
        <translation>它是否关闭了不是它打开的文件描述符？</translation>
    </message>
    <message>
        <source>Does it, or a library, call `os._exit`?</source>
        <translation>它或某个库是否调用了 `os._exit`？</translation>
    </message>
    <message>
        <source>Does the code write to file descriptors that it did not open?</source>
        <translation>代码是否写入了不是它打开的文件描述符？</translation>
    </message>
    <message>
        <source>Does the code, or another program, kill processes?</source>
        <translation>代码或别的程序是否会终止进程？</translation>
    </message>
    <message>
        <source>Does the functional version copy the whole array each time?</source>
        <translation>函数式的版本每次都复制整个数组吗？</translation>
    </message>
    <message>
        <source>Does the installed version have that name?</source>
        <translation>安装的版本有这个名称吗？</translation>
    </message>
    <message>
        <source>Donated</source>
        <translation>捐赠</translation>
    </message>
    <message>
        <source>Donated arguments</source>
        <translation>被捐赠的参数</translation>
    </message>
    <message>
        <source>Donated arguments of the second</source>
        <translation>第二个的捐赠参数</translation>
    </message>
    <message>
        <source>Donated, and no result can be written over it: {told}.</source>
        <translation>已捐赠，但没有结果可以写到它上面：{told}。</translation>
    </message>
    <message>
        <source>Donated, and no result can be written over it: {types}.</source>
        <translation>已捐赠，但没有结果可以写在它上面：{types}。</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Done in {wall_s}</source>
        <translation>完成，用时 {wall_s}</translation>
    </message>
    <message>
        <source>Drag to move this view; click for its menu; arrow keys lead to its tools</source>
        <translation>拖动以移动此视图；单击打开其菜单；用方向键到达其工具</translation>
    </message>
    <message>
        <source>Draw</source>
        <translation>绘制</translation>
    </message>
    <message>
        <source>Draw from `{name}` where it was meant to be used: jax.random.normal({name}, shape); else make one key fewer, or name it _.</source>
        <translation>在本来要用 `{name}` 的地方从它抽取：jax.random.normal({name}, shape)；否则少生成一个密钥，或者把它命名为 _。</translation>
    </message>
    <message>
        <source>Draw numbers with it, as `jax.random.normal(key, shape)` does. Make other keys of it by `jax.random.split(key)` or `jax.random.fold_in(key, number)`.</source>
        <translation>用它来抽取数字，如 `jax.random.normal(key, shape)`。要由它得到其他密钥，请用 `jax.random.split(key)` 或 `jax.random.fold_in(key, number)`。</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>正在绘制</translation>
    </message>
    <message>
        <source>Drawn as lines, since they only pass values on: {names}.</source>
        <translation>画作线条，因为它们只传递值：{names}。</translation>
    </message>
    <message>
        <source>Drawn as what a loop or a branch takes or gives: {names}.</source>
        <translation>画作循环或分支的输入或输出：{names}。</translation>
    </message>
    <message>
        <source>Drawn as what is in them: {names}.</source>
        <translation>画作其内部的内容：{names}。</translation>
    </message>
    <message>
        <source>Dropout and batch norm</source>
        <translation>Dropout 和批归一化</translation>
    </message>
    <message>
        <source>Each `xs` has a leading dimension of size `length`, each `ys` gets one; the carry keeps its type.</source>
        <translation>每个 `xs` 的首维大小为 `length`，每个 `ys` 增加这样的一维；携带的状态保持自己的类型。</translation>
    </message>
    <message>
        <source>Each call timed by itself</source>
        <translation>每次调用单独计时</translation>
    </message>
    <message>
        <source>Each call timed by itself until its result was ready, in random pairs of chunks of 20, or of single calls where they take over 10 ms.</source>
        <translation>每次调用单独计时，直到结果就绪；按随机的成对分组进行，每组 20 次，超过 10 ms 的调用则每组一次。</translation>
    </message>
    <message>
        <source>Each device sends its value to at most one; who gets none has zeros.</source>
        <translation>每个设备至多把自己的值发给一个设备；没有收到的设备得到零。</translation>
    </message>
    <message>
        <source>Each eager call draws others; a compiled call has those that tracing drew.</source>
        <translation>每次急切调用抽到的数不同；编译后的调用用的是追踪时抽到的那些数。</translation>
    </message>
    <message>
        <source>Each eager call works from what the one before it left, and it is not known that compiled calls do the same.</source>
        <translation>每次急切调用从上一次留下的内容出发，而不知道编译后的调用是否也这样。</translation>
    </message>
    <message>
        <source>Each equation run by itself until its result was ready, warm; calls of jitted and differentiated functions taken apart, loops and conditionals as one.</source>
        <translation>每个方程单独运行到结果就绪，已经预热；jit 函数和被微分函数的调用拆开，循环和条件作为整体。</translation>
    </message>
    <message>
        <source>Each instruction of the compiled program under XLA's own recorder, and each equation run by itself. The graph, the table of nodes and the inspector then show the times.</source>
        <translation>用 XLA 自己的记录器测量编译后程序的每条指令，并单独运行每个方程。之后图、节点表和检查器会显示这些时间。</translation>
    </message>
    <message>
        <source>Each loop is one equation, drawn as a box with its body inside; `scan` states how often it runs, `while_loop` cannot know. `cond` and `switch` hold one body for each branch. Under `vmap` with a batch of conditions, `cond` becomes `select`: both branches run for every element and the wanted result is picked. `associative_scan` is no loop: it unrolls into a tree of log n levels.</source>
        <translation>每个循环是一个方程，画成一个框，循环体在框内；`scan` 写明运行多少次，`while_loop` 则无从知道。`cond` 和 `switch` 的每个分支各有一个主体。在 `vmap` 下，若条件成批，`cond` 就变成 `select`：两个分支对每个元素都运行，再选出所要的结果。`associative_scan` 不是循环：它展开成一棵 log n 层的树。</translation>
    </message>
    <message>
        <source>Each of {num_equations} gives the same bits one by one and compiled with all others.</source>
        <translation>{num_equations}逐个运行，与和其他方程一起编译相比，每一个的结果逐位相同。</translation>
    </message>
    <message>
        <source>Each size grows by its low and its high padding; padding between elements adds (n - 1) times that.</source>
        <translation>每个大小增加低端和高端的填充量；元素之间的填充再增加 (n - 1) 倍的量。</translation>
    </message>
    <message>
        <source>Each size is limit - start, divided by the stride and rounded up.</source>
        <translation>每个大小是 limit - start，除以步长后向上取整。</translation>
    </message>
    <message>
        <source>Each target compiles the call with its own compiler; nothing needs the chip, and nothing runs. The command jaxscope doctor says which compilers are installed.</source>
        <translation>每个目标都用自己的编译器编译这个调用；不需要那种芯片，也不运行任何东西。命令 jaxscope doctor 会告诉您装了哪些编译器。</translation>
    </message>
    <message>
        <source>Each was traced, lowered and compiled anew, in memory; nothing ran and no file changed. Kept is what the forward part hands to the backward part besides arguments, by the jaxpr. FLOPs traced are the jaxpr's; FLOPs compiled, bytes and temporaries XLA's, loops by their rounds where known. Where fewer are compiled, XLA merged what is computed again with the first time, as the CPU's does, and keeps it after all. The peak adds up values that the schedule needs at once; XLA allocates less where they share memory, and more where it leaves gaps between them.</source>
        <translation>每种策略都在内存中重新追踪、lower 和编译；没有运行任何东西，也没有改变任何文件。“保留”是按 jaxpr 由前向部分交给反向部分的内容（不含参数）。“追踪到的 FLOP”是 jaxpr 的；“编译后的 FLOP”、字节和临时量是 XLA 的，循环在轮数已知时按轮数计算。编译后的较少时，是因为 XLA 把重复计算的内容与第一次合并（CPU 的 XLA 就这样做），结果还是保留了它。峰值是按调度同时需要的值之和；它们共用内存时 XLA 分配得更少，值之间留有空隙时分配得更多。</translation>
    </message>
    <message>
        <source>Eager against {form}: {told}.</source>
        <translation>急切执行与 {form} 相比：{told}。</translation>
    </message>
    <message>
        <source>Eager and jit agree bit by bit.</source>
        <translation>急切执行和 jit 逐位一致。</translation>
    </message>
    <message>
        <source>Eager calls go through that code, compiled calls do not.</source>
        <translation>急切调用会执行那段代码，编译后的调用不会。</translation>
    </message>
    <message>
        <source>Eager is JAX without jit: transforms such as grad are traced again in each call.</source>
        <translation>急切执行是不用 jit 的 JAX：每次调用都重新追踪 grad 之类的变换。</translation>
    </message>
    <message>
        <source>Eagerly, each of its operations reads and writes the whole array. How many passes over memory are left after compiling?</source>
        <translation>急切执行时，它的每个运算都要读写整个数组。编译之后还剩几遍内存读写？</translation>
    </message>
    <message>
        <source>Earlier calls took {value} times as long as later ones.</source>
        <translation>前面的调用用时是后面的 {value} 倍。</translation>
    </message>
    <message>
        <source>Edit the call</source>
        <translation>编辑调用</translation>
    </message>
    <message>
        <source>Edit the source on a scratch copy, which runs when typing pauses</source>
        <translation>在草稿副本上编辑源代码，停止输入后自动运行</translation>
    </message>
    <message>
        <source>Edited since the run</source>
        <translation>运行之后编辑过</translation>
    </message>
    <message>
        <source>Edited since the run.</source>
        <translation>运行之后编辑过。</translation>
    </message>
    <message>
        <source>Edited since the run; costs moved with their lines.</source>
        <translation>运行之后编辑过；开销已随各自的行移动。</translation>
    </message>
    <message>
        <source>Edited since the run; marks and costs moved with their lines.</source>
        <translation>运行之后编辑过；标记和开销已随各自的行移动。</translation>
    </message>
    <message>
        <source>Edited since the run; marks moved with their lines.</source>
        <translation>运行之后编辑过；标记已随各自的行移动。</translation>
    </message>
    <message>
        <source>Eigenvalues and eigenvectors of a symmetric matrix; done by a library.</source>
        <translation>对称矩阵的特征值和特征向量；由库完成。</translation>
    </message>
    <message>
        <source>Element of the batch</source>
        <translation>批中的元素</translation>
    </message>
    <message>
        <source>End it now</source>
        <translation>立即结束</translation>
    </message>
    <message>
        <source>End the tour</source>
        <translation>结束导览</translation>
    </message>
    <message>
        <source>Ended after {number} of {rigorous_processes} pairs of processes: each takes {each_s:.0f} s. Fewer than six give no verdict.</source>
        <translation>在 {rigorous_processes} 对进程中的第 {number} 对之后结束：每对需要 {each_s:.0f} 秒。少于六对不作判定。</translation>
    </message>
    <message>
        <source>Ended at the budget of {seconds:g} s.</source>
        <translation>用完 {seconds:g} 秒的预算而结束。</translation>
    </message>
    <message>
        <source>Ended by the budget of {seconds:.2g} s, stretched until there were {num} rounds.</source>
        <translation>用完 {seconds:.2g} 秒的预算之后，延长到满 {num} 轮而结束。</translation>
    </message>
    <message>
        <source>Ended by the budget of {seconds:.2g} s.</source>
        <translation>因用完 {seconds:.2g} 秒的预算而结束。</translation>
    </message>
    <message>
        <source>Ended when the pairs agreed.</source>
        <translation>各对结果一致时结束。</translation>
    </message>
    <message>
        <source>Ends a reference and gives its value.</source>
        <translation>结束一个引用，给出它的值。</translation>
    </message>
    <message>
        <source>Environment variables of the second process</source>
        <translation>第二个进程的环境变量</translation>
    </message>
    <message>
        <source>Equal largest elements share the derivative in equal parts.</source>
        <translation>相等的最大元素平分导数。</translation>
    </message>
    <message>
        <source>Equal: no stage that both sides have differs.</source>
        <translation>相等：两侧都有的阶段没有一个不同。</translation>
    </message>
    <message>
        <source>Equation {id} ({operation}) runs as a whole: what its equations compute, and whether one of them makes NaN or Inf, is not known.</source>
        <translation>方程 {id}（{operation}）作为整体运行：其中的方程计算出什么、是否有方程产生 NaN 或 Inf，均不知道。</translation>
    </message>
    <message>
        <source>Equation {id} ({primitive}) is a loop that uses one random key in every round: each round draws the same numbers.</source>
        <translation>方程 {id}（{primitive}）是一个循环，每一轮都用同一个随机密钥：每一轮抽到同样的数。</translation>
    </message>
    <message>
        <source>Equation {id} ({primitive}) uses a random key that equation {first} ({earlier}, line {line}) has used already: what comes of the two is not independent.</source>
        <translation>方程 {id}（{primitive}）使用的随机密钥已被方程 {first}（{earlier}，第 {line} 行）用过：两者得到的结果并不独立。</translation>
    </message>
    <message>
        <source>Equation {name_and_number}, {operation}</source>
        <translation>方程 {name_and_number}，{operation}</translation>
    </message>
    <message>
        <source>Equation {prefix}{number} in {form}</source>
        <translation>{form} 中的方程 {prefix}{number}</translation>
    </message>
    <message>
        <source>Equations that explain each other explain nothing.</source>
        <translation>互相解释的方程什么也解释不了。</translation>
    </message>
    <message>
        <source>Equations were not compared one by one.</source>
        <translation>没有逐个比较方程。</translation>
    </message>
    <message>
        <source>Esc: back to {name}</source>
        <translation>Esc：返回 {name}</translation>
    </message>
    <message>
        <source>Estimates by the chips' published peaks, kernel after kernel, without launching, waiting or traffic between chips; what caches hold, and kernels that overlap, can be faster. Nothing ran.</source>
        <translation>按芯片公布的峰值逐个内核估计，不含启动、等待和芯片之间的流量；缓存中的数据和相互重叠的内核可能更快。没有运行任何东西。</translation>
    </message>
    <message>
        <source>Evaluating the arguments</source>
        <translation>正在求参数的值</translation>
    </message>
    <message>
        <source>Every device receives the parts of all devices.</source>
        <translation>每个设备都收到所有设备的部分。</translation>
    </message>
    <message>
        <source>Every device sends a different part to every other device.</source>
        <translation>每个设备向其他每个设备各发送不同的部分。</translation>
    </message>
    <message>
        <source>Every element times itself.</source>
        <translation>每个元素自乘。</translation>
    </message>
    <message>
        <source>Every equation that both sides have met with the same fate.</source>
        <translation>两方都有的方程，去向都相同。</translation>
    </message>
    <message>
        <source>Every operand and the result have the same shape.</source>
        <translation>每个操作数与结果的形状都相同。</translation>
    </message>
    <message>
        <source>Everything is about one call. Type another one and press Enter, or choose a function of the file at the left. + transform puts grad, vmap and others around it.</source>
        <translation>一切都围绕一个调用。输入另一个调用并按 Enter，或在左边选择文件中的一个函数。“+ 变换”会给它套上 grad、vmap 等。</translation>
    </message>
    <message>
        <source>Everything that one run of one call produced.</source>
        <translation>一个调用的一次运行所产生的全部内容。</translation>
    </message>
    <message>
        <source>Everything, as data</source>
        <translation>全部，作为数据</translation>
    </message>
    <message>
        <source>Everything: all stages</source>
        <translation>全部：所有阶段</translation>
    </message>
    <message>
        <source>Exactly like the parameters. The argument list shows one line for each leaf, with its path, type and bytes; the gradient has the same paths with the same types. `sgd` updates all leaves with one line of `jax.tree.map`.</source>
        <translation>和参数完全一样。参数列表中每个叶子占一行，带有路径、类型和字节数；梯度有同样的路径和同样的类型。`sgd` 用一行 `jax.tree.map` 更新所有叶子。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export a page or hand-out of the numbers, step by step …</source>
        <translation>导出逐步查看数值的网页或讲义 …</translation>
    </message>
    <message>
        <source>Export what is seen, or everything …</source>
        <translation>导出所见内容或全部 …</translation>
    </message>
    <message>
        <source>Export …</source>
        <translation>导出到 …</translation>
    </message>
    <message>
        <source>Exported to {paths}.</source>
        <translation>已导出到 {paths}。</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>正在导出</translation>
    </message>
    <message>
        <source>FLOP</source>
        <translation>FLOP（浮点运算）</translation>
    </message>
    <message>
        <source>FLOP per byte</source>
        <translation>每字节 FLOP</translation>
    </message>
    <message>
        <source>FLOP per second</source>
        <translation>每秒 FLOP</translation>
    </message>
    <message>
        <source>FLOP/byte</source>
        <translation>FLOP/字节</translation>
    </message>
    <message>
        <source>FLOPs</source>
        <translation>FLOP</translation>
    </message>
    <message>
        <source>FLOPs after</source>
        <translation>优化后 FLOP</translation>
    </message>
    <message>
        <source>FLOPs and bytes of each pass are XLA's own count of the module after it: one round of each loop, and of branches the dearest.</source>
        <translation>每个 pass 的 FLOP 和字节，是 XLA 自己对它之后的模块的计数：每个循环算一轮，各分支中算开销最大的。</translation>
    </message>
    <message>
        <source>FLOPs before</source>
        <translation>优化前 FLOP</translation>
    </message>
    <message>
        <source>FLOPs compiled</source>
        <translation>FLOP，编译后</translation>
    </message>
    <message>
        <source>FLOPs traced</source>
        <translation>FLOP，追踪时</translation>
    </message>
    <message>
        <source>FLOPs, each loop once</source>
        <translation>FLOP，每个循环算一次</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Figures are per device. Ahead of time no autotuning chooses among kernels.</source>
        <translation>数字按每个设备计。提前编译时没有自动调优来选择内核。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>File of the second call</source>
        <translation>第二个调用的文件</translation>
    </message>
    <message>
        <source>File …</source>
        <translation>选择文件 …</translation>
    </message>
    <message>
        <source>Filter by {title}</source>
        <translation>按 {title} 筛选</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Find a word</source>
        <translation>查找一个词</translation>
    </message>
    <message>
        <source>Find a word, a primitive or an opcode</source>
        <translation>查找一个词、原语或操作码</translation>
    </message>
    <message>
        <source>Find in this view</source>
        <translation>在此视图中查找</translation>
    </message>
    <message>
        <source>Find in this view (Ctrl+F)</source>
        <translation>在此视图中查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Find the pass of XLA that makes jit differ</source>
        <translation>找出使 jit 不同的 XLA pass</translation>
    </message>
    <message>
        <source>Finding out what each kernel does …</source>
        <translation>正在弄清每个内核做什么 …</translation>
    </message>
    <message>
        <source>Finding out what is alive when …</source>
        <translation>正在弄清何时有什么存活 …</translation>
    </message>
    <message>
        <source>Finding the value in {form}</source>
        <translation>正在 {form} 中查找这个值</translation>
    </message>
    <message>
        <source>Finds a root, with a hand-made rule for its gradient.</source>
        <translation>求一个根，其梯度有手写的规则。</translation>
    </message>
    <message>
        <source>First NaN or Inf</source>
        <translation>第一个 NaN 或 Inf</translation>
    </message>
    <message>
        <source>First {kind}</source>
        <translation>第一个 {kind}</translation>
    </message>
    <message>
        <source>First {kind} that may come into a result</source>
        <translation>第一个可能进入结果的 {kind}</translation>
    </message>
    <message>
        <source>Fit the picture to its view</source>
        <translation>使图适合视图</translation>
    </message>
    <message>
        <source>Five equations, one kernel.</source>
        <translation>五个方程，一个内核。</translation>
    </message>
    <message>
        <source>Flax modules</source>
        <translation>Flax 模块</translation>
    </message>
    <message>
        <source>Flips the sign of every element.</source>
        <translation>改变每个元素的符号。</translation>
    </message>
    <message>
        <source>Focus on what is near the selection; again: wider</source>
        <translation>聚焦于所选内容附近；再按一次：范围更大</translation>
    </message>
    <message>
        <source>Fold all blocks of its text</source>
        <translation>折叠其文本的所有块</translation>
    </message>
    <message>
        <source>Fold one-operation bodies</source>
        <translation>折叠只有一个运算的内部</translation>
    </message>
    <message>
        <source>Fold scalar constants</source>
        <translation>折叠标量常量</translation>
    </message>
    <message>
        <source>Fold this block (-)</source>
        <translation>折叠这个块（-）</translation>
    </message>
    <message>
        <source>Following the run failed: this is a bug in jaxscope.</source>
        <translation>跟随运行时出错：这是 jaxscope 的缺陷。</translation>
    </message>
    <message>
        <source>For 4, 16 and 64 examples, how many equations does each version have?</source>
        <translation>对于 4、16 和 64 个样本，每个版本有多少个方程？</translation>
    </message>
    <message>
        <source>For compiler engineers</source>
        <translation>面向编译器工程师</translation>
    </message>
    <message>
        <source>For each, what is left after XLA?</source>
        <translation>对每一个函数：经过 XLA 之后还剩下什么？</translation>
    </message>
    <message>
        <source>For how long a call kept the device at work, by XLA's own recorder, from further calls; it is no part of the other columns</source>
        <translation>一次调用让设备工作了多久，由 XLA 自己的记录器在另外的调用中测得；不包含在其他列中</translation>
    </message>
    <message>
        <source>For the temporaries of this same program XLA allocates {allocated}.</source>
        <translation>XLA 为这同一个程序的临时量分配 {allocated}。</translation>
    </message>
    <message>
        <source>For users</source>
        <translation>面向使用者</translation>
    </message>
    <message>
        <source>Forget it</source>
        <translation>丢弃它</translation>
    </message>
    <message>
        <source>Forget the change, and show the file again</source>
        <translation>丢弃修改，重新显示文件</translation>
    </message>
    <message>
        <source>Forgets the values inside after the forward pass and computes them again for the backward pass: less memory, more work.</source>
        <translation>在前向过程之后忘掉里面的值，到反向过程时再算一遍：内存少了，工作多了。</translation>
    </message>
    <message>
        <source>Form of this view</source>
        <translation>此视图的形式</translation>
    </message>
    <message>
        <source>Formats are {known}.</source>
        <translation>格式有 {known}。</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前进</translation>
    </message>
    <message>
        <source>Forward and backward side by side</source>
        <translation>前向和反向并排</translation>
    </message>
    <message>
        <source>Forward mode differentiates what is inside; the backward pass first computes it again.</source>
        <translation>前向模式对里面的内容求导；反向过程先把里面再算一遍。</translation>
    </message>
    <message>
        <source>Forward mode only: a `while` with the tangents in its carry. Reverse mode raises a ValueError, for nobody knows how many steps to keep values of.</source>
        <translation>只有前向模式：一个把切向量也放进携带状态的 `while`。反向模式会抛出 ValueError，因为没有人知道要为多少步保留值。</translation>
    </message>
    <message>
        <source>Free some space.</source>
        <translation>请腾出一些空间。</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>From an earlier run; the file or the call has changed since.</source>
        <translation>来自更早的一次运行；此后文件或调用已改变。</translation>
    </message>
    <message>
        <source>From the return of the call until its result was ready.</source>
        <translation>从调用返回到结果就绪。</translation>
    </message>
    <message>
        <source>From the shortest to the longest that was observed; where six processes on a quiet machine earned one, the interval that the median lies in, with its confidence</source>
        <translation>从观察到的最短到最长；如果在安静的机器上用六个进程测得了区间，则是中位数所在的区间及其置信度</translation>
    </message>
    <message>
        <source>From your source to the machine code: each stage is made of the one before. A click shows it in a view; at the end stands how long the call takes, eager and compiled.</source>
        <translation>从源代码到机器码：每个阶段都由前一个阶段产生。单击在视图中显示它；末尾是这个调用在急切执行和编译后各需多久。</translation>
    </message>
    <message>
        <source>From {path}. Seconds are the mean of a run, added up over threads and devices. This module has {share} of the {seconds} of work in the recording{beside}.</source>
        <translation>来自 {path}。秒数是每次运行的平均值，对线程和设备求和。记录中共有 {seconds} 的工作，这个模块占 {share}{beside}。</translation>
    </message>
    <message>
        <source>From {prefix}{number} on nothing was compared: the comparison was stopped after {done}, in {seconds:.0f} s.</source>
        <translation>从 {prefix}{number} 起没有比较：比较在 {done} 之后停止，用时 {seconds:.0f} 秒。</translation>
    </message>
    <message>
        <source>From {size:,} on, eager is left out: a call took {seconds:.3g} s.</source>
        <translation>从 {size:,} 起不再测量急切执行：一次调用用了 {seconds:.3g} 秒。</translation>
    </message>
    <message>
        <source>Functions</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>Functions of the file</source>
        <translation>文件中的函数</translation>
    </message>
    <message>
        <source>Functions of the file and the calls it offers</source>
        <translation>文件中的函数及其提供的调用</translation>
    </message>
    <message>
        <source>Functions to capture</source>
        <translation>要捕获的函数</translation>
    </message>
    <message>
        <source>Fusion {name}</source>
        <translation>融合 {name}</translation>
    </message>
    <message>
        <source>Fusions</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>Fusions and XLA's decisions</source>
        <translation>融合与 XLA 的决定</translation>
    </message>
    <message>
        <source>Fusions of the optimized program</source>
        <translation>优化后的程序中的融合</translation>
    </message>
    <message>
        <source>Gamma-distributed random numbers; one equation here, hundreds below.</source>
        <translation>伽马分布的随机数；在这里是一个方程，下面有几百个。</translation>
    </message>
    <message>
        <source>Gather arguments</source>
        <translation>汇集参数</translation>
    </message>
    <message>
        <source>Gather captured arrays</source>
        <translation>汇集被捕获的数组</translation>
    </message>
    <message>
        <source>Gather preparations</source>
        <translation>汇集准备工作</translation>
    </message>
    <message>
        <source>Gather small steps</source>
        <translation>汇集小步骤</translation>
    </message>
    <message>
        <source>Gather what loops carry</source>
        <translation>汇集循环携带的值</translation>
    </message>
    <message>
        <source>Gathering</source>
        <translation>正在汇集</translation>
    </message>
    <message>
        <source>Give `None` in `in_axes` to what is not mapped over, such as `vmap(f, in_axes=(0, None))`, or compare the sizes named here.</source>
        <translation>在 `in_axes` 中给不作映射的参数写 `None`，例如 `vmap(f, in_axes=(0, None))`；或比较此处列出的大小。</translation>
    </message>
    <message>
        <source>Give `fori_loop` bounds that are known while tracing, or use `jax.lax.scan`; or differentiate forward: `jax.jacfwd` or `jax.jvp`.</source>
        <translation>请给 `fori_loop` 在追踪时已知的界限，或使用 `jax.lax.scan`；或作前向求导：`jax.jacfwd` 或 `jax.jvp`。</translation>
    </message>
    <message>
        <source>Give both as tuples: `jvp(f, (x,), (t,))`.</source>
        <translation>两者都用元组给出：`jvp(f, (x,), (t,))`。</translation>
    </message>
    <message>
        <source>Give both as tuples: each primal a float, its tangent of the same shape and type: `jvp(f, (x,), (t,))`.</source>
        <translation>两者都写成元组：每个原值是浮点数，它的切向量形状和类型相同：`jvp(f, (x,), (t,))`。</translation>
    </message>
    <message>
        <source>Give each positional argument one entry: the axis to map over, or `None`.</source>
        <translation>给每个位置参数写一项：要映射的轴，或 `None`。</translation>
    </message>
    <message>
        <source>Give every argument of the call as an array.</source>
        <translation>请把调用的每个参数都作为数组给出。</translation>
    </message>
    <message>
        <source>Give every axis a size of 0 or more, such as `f32[3]`.</source>
        <translation>每个轴的大小都应为 0 或更大，例如 `f32[3]`。</translation>
    </message>
    <message>
        <source>Give integers: `n // 2` in place of `n / 2`, `int(n)` of a Python number.</source>
        <translation>请给出整数：用 `n // 2` 代替 `n / 2`，对 Python 的数用 `int(n)`。</translation>
    </message>
    <message>
        <source>Give it one: `f.defvjp(forward, backward)` of a `custom_vjp`, `f.defjvp(rule)` of a `custom_jvp`.</source>
        <translation>请给它规则：`custom_vjp` 用 `f.defvjp(forward, backward)`，`custom_jvp` 用 `f.defjvp(rule)`。</translation>
    </message>
    <message>
        <source>Give that argument `None` in `in_axes`, such as `vmap(f, in_axes=(0, None))`, or give it one more axis.</source>
        <translation>在 `in_axes` 中给该参数写 `None`，例如 `vmap(f, in_axes=(0, None))`；或给它多加一个轴。</translation>
    </message>
    <message>
        <source>Give the branch a safe operand: safe = jnp.where({test}, x, 1.0); jnp.where({test}, {safe}, 0.0).</source>
        <translation>给这个分支一个安全的操作数：safe = jnp.where({test}, x, 1.0); jnp.where({test}, {safe}, 0.0)。</translation>
    </message>
    <message>
        <source>Give the constant the type of the data, as in np.float32(0.5) or jnp.asarray(table, x.dtype); or .astype(jnp.float32).</source>
        <translation>给常量以数据的类型，例如 np.float32(0.5) 或 jnp.asarray(table, x.dtype)；或者用 .astype(jnp.float32)。</translation>
    </message>
    <message>
        <source>Give the figure the whole page, for those who sit far away</source>
        <translation>让图占满整页，方便坐得远的人</translation>
    </message>
    <message>
        <source>Give the function around it a rule with `jax.custom_vjp`; or differentiate forward: `jax.jacfwd` or `jax.jvp`.</source>
        <translation>用 `jax.custom_vjp` 给包含它的函数一条规则；或做前向求导：`jax.jacfwd` 或 `jax.jvp`。</translation>
    </message>
    <message>
        <source>Give the logarithm an operand above 0: jnp.log(jnp.maximum(x, 1e-12)), or safe = jnp.where(x &gt; 0, x, 1.0); jnp.where(x &gt; 0, jnp.log(safe), 0.0).</source>
        <translation>让对数的操作数大于 0：jnp.log(jnp.maximum(x, 1e-12))，或 safe = jnp.where(x &gt; 0, x, 1.0); jnp.where(x &gt; 0, jnp.log(safe), 0.0)。</translation>
    </message>
    <message>
        <source>Give the root an operand above 0, where its derivative is finite: jnp.sqrt(x + 1e-12), or safe = jnp.where(x &gt; 0, x, 1.0); jnp.where(x &gt; 0, jnp.sqrt(safe), 0.0).</source>
        <translation>让根号下的操作数大于 0，其导数在那里是有限的：jnp.sqrt(x + 1e-12)，或 safe = jnp.where(x &gt; 0, x, 1.0); jnp.where(x &gt; 0, jnp.sqrt(safe), 0.0)。</translation>
    </message>
    <message>
        <source>Give the size as a number: `size=` of `jnp.nonzero`, `jnp.where` or `jnp.unique`, `num_segments=` of `jax.ops.segment_sum`, `total_repeat_length=` of `jnp.repeat`, `length=` of `jnp.bincount`. Where it is given as an argument, make that static: `jit(f, static_argnames=…)`.</source>
        <translation>请以数字给出大小：`jnp.nonzero`、`jnp.where` 或 `jnp.unique` 的 `size=`，`jax.ops.segment_sum` 的 `num_segments=`，`jnp.repeat` 的 `total_repeat_length=`，`jnp.bincount` 的 `length=`。若它是作为参数给出的，请把该参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Give {path} in every call or in none: a default is another value to JAX than the same value given.</source>
        <translation>每次调用都给出 {path}，或都不给：对 JAX 来说，默认值与给出的相同的值是不同的值。</translation>
    </message>
    <message>
        <source>Gives a value a name that checkpoint policies can refer to.</source>
        <translation>给一个值起名称，checkpoint 的策略可以用它来指代。</translation>
    </message>
    <message>
        <source>Glossary</source>
        <translation>词汇表</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Go on working. Please report this with the details (Copy details).</source>
        <translation>可以继续工作。请附上详细信息报告此问题（“复制详细信息”）。</translation>
    </message>
    <message>
        <source>Go on, into loops too, to the next value that is so</source>
        <translation>继续执行（也进入循环），直到下一个符合条件的值</translation>
    </message>
    <message>
        <source>Go to the first NaN or Inf</source>
        <translation>转到第一个 NaN 或 Inf</translation>
    </message>
    <message>
        <source>Gradient, too</source>
        <translation>也测梯度</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Graph of {title}</source>
        <translation>{title} 的图</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>各图</translation>
    </message>
    <message>
        <source>Graphs or texts</source>
        <translation>图或文本</translation>
    </message>
    <message>
        <source>Graphviz</source>
        <translation>Graphviz</translation>
    </message>
    <message>
        <source>Graphviz is not installed: jaxscope lays graphs out itself.</source>
        <translation>没有安装 Graphviz：由 jaxscope 自己布置图。</translation>
    </message>
    <message>
        <source>Group by Python function</source>
        <translation>按 Python 函数分组</translation>
    </message>
    <message>
        <source>Group by scope</source>
        <translation>按作用域分组</translation>
    </message>
    <message>
        <source>Groups cannot be opened by {words}.</source>
        <translation>不能按 {words} 展开组。</translation>
    </message>
    <message>
        <source>Groups of more than 150 boxes become parts that fit on a page.</source>
        <translation>超过 150 个方框的组拆成放得进一页的几部分。</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>HLO</source>
        <translation>HLO</translation>
    </message>
    <message>
        <source>HLO and optimized</source>
        <translation>HLO 和优化后</translation>
    </message>
    <message>
        <source>Half of the calls took less, half took more.</source>
        <translation>一半的调用用时更短，一半更长。</translation>
    </message>
    <message>
        <source>Hands the results back to whoever runs this block.</source>
        <translation>把结果交回给运行这一块的程序。</translation>
    </message>
    <message>
        <source>Hearing what the other {count} processes compiled</source>
        <translation>正在收集另外 {count} 个进程编译的内容</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Help, Lesson and samples: shows the lesson again.</source>
        <translation>“帮助”菜单的“课程和示例”可再次显示课程。</translation>
    </message>
    <message>
        <source>Here float32 becomes float64, though no argument is float64: all that comes of it takes twice the memory, and many times the time on most GPUs and TPUs. A NumPy scalar or array of float64 does this; a Python number does not.</source>
        <translation>这里 float32 变成了 float64，虽然没有参数是 float64：由它得到的一切都占用两倍的内存，在大多数 GPU 和 TPU 上要花许多倍的时间。NumPy 的 float64 标量或数组会造成这种情况；Python 的数不会。</translation>
    </message>
    <message>
        <source>Here is a list of pages about the same call, such as its memory or its fusions; a click on the name of the page that is open closes it. Measure and Compare are places of their own. Ctrl+K finds every command, page and sample by a few letters.</source>
        <translation>这里列出关于同一调用的页面，例如内存或融合；单击已打开页面的名称会关闭它。“测量”和“比较”是独立的位置。Ctrl+K 输入几个字母就能找到任何命令、页面和示例。</translation>
    </message>
    <message>
        <source>Here stands what {name} would make of the same operands: nothing of the result comes from it.</source>
        <translation>这里显示 {name} 用相同的操作数会得到什么：结果中没有来自它的内容。</translation>
    </message>
    <message>
        <source>Here the trace ended.</source>
        <translation>追踪在这里结束。</translation>
    </message>
    <message>
        <source>Hide traceback</source>
        <translation>隐藏回溯</translation>
    </message>
    <message>
        <source>Hide tuples and bitcasts</source>
        <translation>隐藏元组和位转换</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>直方图</translation>
    </message>
    <message>
        <source>Hold this value: compare others with it</source>
        <translation>保留此值：其他值与它比较</translation>
    </message>
    <message>
        <source>Host values that are handed to single operations of jax.numpy, or to functions that were jitted before the watch began, are not seen.</source>
        <translation>交给 jax.numpy 的单个运算、或交给观察开始之前就已 jit 的函数的主机值，看不到。</translation>
    </message>
    <message>
        <source>How does a program for one become a program for many?</source>
        <translation>处理一个的程序如何变成处理许多个的程序？</translation>
    </message>
    <message>
        <source>How does it grow with size?</source>
        <translation>它随大小如何增长？</translation>
    </message>
    <message>
        <source>How is a derivative a program of its own?</source>
        <translation>导数为什么本身就是一个程序？</translation>
    </message>
    <message>
        <source>How long does the call take, eager and compiled?</source>
        <translation>这个调用在急切执行和编译后各需多久？</translation>
    </message>
    <message>
        <source>How long it took to make; one run each, so this tells no difference for sure.</source>
        <translation>生成所用的秒数；各只运行一次，所以不能确定差别。</translation>
    </message>
    <message>
        <source>How long passes took is not known.</source>
        <translation>各个 pass 用了多久不清楚。</translation>
    </message>
    <message>
        <source>How many bytes are moved is not known of all nodes, such as of a kernel or of numbers of less than a byte.</source>
        <translation>并非所有节点搬运的字节数都已知，例如内核，或不足一个字节的数。</translation>
    </message>
    <message>
        <source>How much it has is not verified.</source>
        <translation>它有多少内存未经核实。</translation>
    </message>
    <message>
        <source>How much memory does it need, when, and for what?</source>
        <translation>它需要多少内存，何时需要，用来做什么？</translation>
    </message>
    <message>
        <source>How much of Python a second call runs is not known: {why}</source>
        <translation>不知道第二次调用运行多少 Python：{why}</translation>
    </message>
    <message>
        <source>How often {name} goes round is not known.</source>
        <translation>不知道 {name} 循环多少次。</translation>
    </message>
    <message>
        <source>How the array is cut</source>
        <translation>数组如何切分</translation>
    </message>
    <message>
        <source>How the tiles of {layouts} pad is not known.</source>
        <translation>不知道 {layouts} 的分块填充了多少。</translation>
    </message>
    <message>
        <source>How to update one all the same, without paying for a copy.</source>
        <translation>如何照样更新数组，又不必付出复制的代价。</translation>
    </message>
    <message>
        <source>How would this call do on other chips?</source>
        <translation>这个调用在其他芯片上会怎样？</translation>
    </message>
    <message>
        <source>If it is a number or an array, and decides no shape and no Python branch, pass it as an array that is not static.</source>
        <translation>如果它是数或数组，而且既不决定形状，也不决定 Python 分支，就把它作为非静态的数组传入。</translation>
    </message>
    <message>
        <source>If one element is NaN, so is the result.</source>
        <translation>如果有一个元素是 NaN，结果也是 NaN。</translation>
    </message>
    <message>
        <source>If one of the two is NaN, so is the result.</source>
        <translation>如果两者之一是 NaN，结果也是 NaN。</translation>
    </message>
    <message>
        <source>Images are read by Pillow, which the Python that runs the file does not have.</source>
        <translation>图像由 Pillow 读取，而运行这个文件的 Python 没有它。</translation>
    </message>
    <message>
        <source>Import the module instead of the name, or later.</source>
        <translation>请导入模块而不是名称，或者晚一点导入。</translation>
    </message>
    <message>
        <source>Importing the file</source>
        <translation>正在导入文件</translation>
    </message>
    <message>
        <source>Importing {name}</source>
        <translation>正在导入 {name}</translation>
    </message>
    <message>
        <source>In a graph: move the picture</source>
        <translation>在图中：移动画面</translation>
    </message>
    <message>
        <source>In a graph: open or close the group</source>
        <translation>在图中：展开或收起分组</translation>
    </message>
    <message>
        <source>In a graph: the next box in that direction</source>
        <translation>在图中：该方向上的下一个方框</translation>
    </message>
    <message>
        <source>In a graph: the next of equal parts, such as layers</source>
        <translation>在图中：相同部分（如各层）中的下一个</translation>
    </message>
    <message>
        <source>In a graph: the one of equal parts before</source>
        <translation>在图中：相同部分中的上一个</translation>
    </message>
    <message>
        <source>In a graph: where it begins</source>
        <translation>在图中：起始处</translation>
    </message>
    <message>
        <source>In a program of many parts, neighbours that are small beside the rest are one box.</source>
        <translation>在有许多部分的程序中，相对其余部分很小的相邻部分是一个方框。</translation>
    </message>
    <message>
        <source>In a source that is edited: to its buttons</source>
        <translation>编辑源代码时：到它的按钮</translation>
    </message>
    <message>
        <source>In a text, a table or a tree: select all up to there</source>
        <translation>在文本、表格或树中：选择到那里为止的全部</translation>
    </message>
    <message>
        <source>In a text: choose several lines</source>
        <translation>在文本中：选择若干行</translation>
    </message>
    <message>
        <source>In a text: copy the chosen lines</source>
        <translation>在文本中：复制所选的行</translation>
    </message>
    <message>
        <source>In a text: fold or unfold all blocks</source>
        <translation>在文本中：折叠或展开所有块</translation>
    </message>
    <message>
        <source>In a text: fold or unfold the block around the line</source>
        <translation>在文本中：折叠或展开该行所在的块</translation>
    </message>
    <message>
        <source>In any view: select one more thing, or let it go</source>
        <translation>在任何视图中：再选一个，或取消选择它</translation>
    </message>
    <message>
        <source>In boxes of others: {names}.</source>
        <translation>在别的方框里：{names}。</translation>
    </message>
    <message>
        <source>In float32 exp(1e-8) - 1 is 0, expm1(1e-8) is 1e-8.</source>
        <translation>在 float32 中 exp(1e-8) - 1 是 0，expm1(1e-8) 是 1e-8。</translation>
    </message>
    <message>
        <source>In float32 it is inf from 88.73 on.</source>
        <translation>在 float32 中从 88.73 起结果是 inf。</translation>
    </message>
    <message>
        <source>In float32 log(1 + 1e-8) is 0, log1p(1e-8) is 1e-8.</source>
        <translation>在 float32 中 log(1 + 1e-8) 是 0，log1p(1e-8) 是 1e-8。</translation>
    </message>
    <message>
        <source>In float32 tanh(10) is 1 and its derivative 0.</source>
        <translation>在 float32 中 tanh(10) 是 1，导数是 0。</translation>
    </message>
    <message>
        <source>In formulas `dx` is the tangent of `x`, `ct` the cotangent of the result `out`; parameters have their own names, or `params['y']`. What it turns into was seen in one small example, with {made_with}; other parameters and types may give more.</source>
        <translation>公式中 `dx` 是 `x` 的切向量，`ct` 是结果 `out` 的余切；参数用自己的名称，或写作 `params['y']`。它变成什么，是在一个小例子中用 {made_with} 看到的；换了参数和类型，可能会得到更多。</translation>
    </message>
    <message>
        <source>In one process, within a few seconds</source>
        <translation>在一个进程中，几秒之内</translation>
    </message>
    <message>
        <source>In place of a @ b, jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2): that is no product for the matrix unit.</source>
        <translation>用 jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2) 代替 a @ b：它不经过矩阵单元。</translation>
    </message>
    <message>
        <source>In programs without scopes, the functions of the source are boxes.</source>
        <translation>在没有作用域的程序中，源代码的函数是方框。</translation>
    </message>
    <message>
        <source>In single parts</source>
        <translation>在各个部件中</translation>
    </message>
    <message>
        <source>In the call</source>
        <translation>在调用中</translation>
    </message>
    <message>
        <source>In the call: earlier and later calls; in a text: the next line</source>
        <translation>在调用中：更早和更晚的调用；在文本中：下一行</translation>
    </message>
    <message>
        <source>In the call: run it</source>
        <translation>在调用中：运行它</translation>
    </message>
    <message>
        <source>In the optimized program they are fused in {fusions}.</source>
        <translation>在优化后的程序中，它们融合在 {fusions} 中。</translation>
    </message>
    <message>
        <source>In your code</source>
        <translation>在您的代码中</translation>
    </message>
    <message>
        <source>In {form} the program does not come here.</source>
        <translation>在 {form} 中，程序不会执行到这里。</translation>
    </message>
    <message>
        <source>Index {start} is out of bounds: axis {axis} has {length:,} elements.</source>
        <translation>下标 {start} 越界：轴 {axis} 有 {length:,} 个元素。</translation>
    </message>
    <message>
        <source>Inf</source>
        <translation>Inf</translation>
    </message>
    <message>
        <source>Inf minus Inf is NaN, as in the softmax of a row that is masked as a whole: mask with the least finite number, jnp.finfo(x.dtype).min, in place of -jnp.inf.</source>
        <translation>Inf 减 Inf 是 NaN，例如整行都被屏蔽时的 softmax：请用最小的有限数 jnp.finfo(x.dtype).min 来屏蔽，而不用 -jnp.inf。</translation>
    </message>
    <message>
        <source>Inf stands in the program as a constant, which {id} ({operation}) reads.</source>
        <translation>Inf 作为常量写在程序里，由 {id}（{operation}）读取。</translation>
    </message>
    <message>
        <source>Inf yellow</source>
        <translation>Inf 黄色</translation>
    </message>
    <message>
        <source>Inside is the function itself; its rule belongs to the derivative.</source>
        <translation>里面是函数本身；它的规则属于导数。</translation>
    </message>
    <message>
        <source>Install OpenSSH's client (on Debian: apt-get install openssh-client).</source>
        <translation>请安装 OpenSSH 的客户端（Debian 上：apt-get install openssh-client）。</translation>
    </message>
    <message>
        <source>Install Python 3.11 or newer there, or name where it is with --python.</source>
        <translation>请在那里安装 Python 3.11 或更新的版本，或用 --python 指明它的位置。</translation>
    </message>
    <message>
        <source>Install it there: {command}; or choose the interpreter of your project: --python, in the window Run, Choose the interpreter.</source>
        <translation>请在那里安装：{command}；或者选择您的项目的解释器：--python，在窗口中是“运行”里的“选择解释器”。</translation>
    </message>
    <message>
        <source>Install it, or choose a target of this machine, such as cpu.</source>
        <translation>请安装它，或者选择这台机器的目标，例如 cpu。</translation>
    </message>
    <message>
        <source>Install that code as a package on the other machine.</source>
        <translation>请把那段代码作为包安装到另一台机器上。</translation>
    </message>
    <message>
        <source>Install the plugin of that platform, or leave the choice to JAX; `jaxscope doctor` lists the targets that work here.</source>
        <translation>请安装那个平台的插件，或者让 JAX 自己选择；`jaxscope doctor` 会列出在这里可用的目标。</translation>
    </message>
    <message>
        <source>Install zstandard for the Python of jaxscope, or unpack it first: zstd -dc &lt; {path}</source>
        <translation>请为 jaxscope 所用的 Python 安装 zstandard，或先解压：zstd -dc &lt; {path}</translation>
    </message>
    <message>
        <source>Instructions are counted by XLA's rules, in the module before and after optimization.</source>
        <translation>按 XLA 的规则对指令计数，分别在优化之前和之后的模块中。</translation>
    </message>
    <message>
        <source>Instructions that hold what is selected: {before:,} before, {after:,} after.</source>
        <translation>含有所选内容的指令：之前 {before:,} 条，之后 {after:,} 条。</translation>
    </message>
    <message>
        <source>Instructions that run as one kernel: what passes between them is not written to memory.</source>
        <translation>作为一个内核运行的一组指令：在它们之间传递的值不写入内存。</translation>
    </message>
    <message>
        <source>Integers and booleans have no derivative: differentiate a function that returns a float, and return what is counted beside it, with `has_aux=True`.</source>
        <translation>整数和布尔值没有导数：请对返回浮点数的函数求导，计数之类的值用 `has_aux=True` 一并返回。</translation>
    </message>
    <message>
        <source>Interpreter of the other side</source>
        <translation>另一方的解释器</translation>
    </message>
    <message>
        <source>Interpreter of the second</source>
        <translation>第二个的解释器</translation>
    </message>
    <message>
        <source>Into a call, a branch, or the round of a loop (F7)</source>
        <translation>进入一个调用、一个分支或循环的一轮（F7）</translation>
    </message>
    <message>
        <source>Into the arguments and the results. The key enters as an argument, and its path through the graph ends at the mask; in `predict_dropout` the mask is gone, and with it the use of the key. `train_batchnorm` returns the new running statistics as a second output, which the caller must keep.</source>
        <translation>到参数和结果里去了。密钥作为参数进入，它在图中的路径终止于掩码；在 `predict_dropout` 中掩码不见了，密钥也就没有用处了。`train_batchnorm` 把新的滑动统计量作为第二个输出返回，调用者必须保存它。</translation>
    </message>
    <message>
        <source>Into ▼</source>
        <translation>进入 ▼</translation>
    </message>
    <message>
        <source>Is a driver or the disk stuck? Run `import jax` with that interpreter by hand.</source>
        <translation>是驱动或磁盘卡住了吗？请用那个解释器手动运行 `import jax`。</translation>
    </message>
    <message>
        <source>Is in a branch that is never taken.</source>
        <translation>在一个从不执行的分支中。</translation>
    </message>
    <message>
        <source>Is it running, and is a VPN needed?</source>
        <translation>它在运行吗？是否需要 VPN？</translation>
    </message>
    <message>
        <source>Is this a binary file, or saved as UTF-16? Save it as UTF-8.</source>
        <translation>这是二进制文件，或者保存成了 UTF-16 吗？请保存为 UTF-8。</translation>
    </message>
    <message>
        <source>Is {python} a Python interpreter with JAX?</source>
        <translation>{python} 是装有 JAX 的 Python 解释器吗？</translation>
    </message>
    <message>
        <source>It arises in {where}, compiled together with {others}: what these compute from is equal, their result is not.</source>
        <translation>差别产生于 {where}，与 {others} 一起编译时：它们的输入相等，结果却不相等。</translation>
    </message>
    <message>
        <source>It arises in {where}: compiled by itself, from equal operands, this equation gives other bits than eagerly.</source>
        <translation>差别产生于 {where}：单独编译时，这个方程由相等的操作数得到与急切执行不同的位。</translation>
    </message>
    <message>
        <source>It asked for {size}.</source>
        <translation>它要求 {size}。</translation>
    </message>
    <message>
        <source>It begins as a serialized module does, but is damaged or cut off.</source>
        <translation>它的开头像序列化的模块，但已损坏或被截断。</translation>
    </message>
    <message>
        <source>It begins as an entry of the cache, but is damaged.</source>
        <translation>它的开头像缓存中的一个条目，但已损坏。</translation>
    </message>
    <message>
        <source>It begins as what jax.export serializes, but holds no module.</source>
        <translation>它的开头像 jax.export 序列化的内容，但其中没有模块。</translation>
    </message>
    <message>
        <source>It cannot be compiled: {why}</source>
        <translation>无法编译：{why}</translation>
    </message>
    <message>
        <source>It cannot be read.</source>
        <translation>无法读取它。</translation>
    </message>
    <message>
        <source>It comes from around this part: look at it where it is made.</source>
        <translation>它来自这一部分的外围：请在生成它的地方查看。</translation>
    </message>
    <message>
        <source>It compiles each primitive.</source>
        <translation>它编译每个原语。</translation>
    </message>
    <message>
        <source>It compiles for {targets}.</source>
        <translation>可以为 {targets} 编译。</translation>
    </message>
    <message>
        <source>It computes the same as another, and one of them is left.</source>
        <translation>它与另一个方程计算同样的内容，只保留其中一个。</translation>
    </message>
    <message>
        <source>It could not be drawn: {name}.</source>
        <translation>无法绘制：{name}。</translation>
    </message>
    <message>
        <source>It could not be saved: {error}.</source>
        <translation>无法保存：{error}。</translation>
    </message>
    <message>
        <source>It could not be summarized.</source>
        <translation>无法概括。</translation>
    </message>
    <message>
        <source>It depends on no argument: computed when compiling, or merged with another.</source>
        <translation>它不依赖任何参数：在编译时算好了，或者与另一个合并了。</translation>
    </message>
    <message>
        <source>It depends on the branch that {name} takes.</source>
        <translation>这取决于 {name} 走哪个分支。</translation>
    </message>
    <message>
        <source>It does not compile for {targets}.</source>
        <translation>不能为 {targets} 编译。</translation>
    </message>
    <message>
        <source>It does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>It does not fit on {targets}.</source>
        <translation>在 {targets} 上装不下。</translation>
    </message>
    <message>
        <source>It fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>It fits on {targets}.</source>
        <translation>在 {targets} 上装得下。</translation>
    </message>
    <message>
        <source>It fits: the compiler found room in {there} ({title}). What it says is needed, {needed}, has values in it that lie on the chip.</source>
        <translation>放得下：编译器在 {there}（{title}）中找到了位置。它所说的需要量 {needed} 中，有些值位于芯片上。</translation>
    </message>
    <message>
        <source>It goes into the jaxpr of {name}.</source>
        <translation>它进入 {name} 的 jaxpr。</translation>
    </message>
    <message>
        <source>It has another form.</source>
        <translation>它的形式不同。</translation>
    </message>
    <message>
        <source>It has operations of another compiler, written in a form that only that one reads. Have them written in the generic form: --mlir-print-op-generic.</source>
        <translation>其中有另一编译器的运算，其书写形式只有该编译器能读。请让它以通用形式写出：--mlir-print-op-generic。</translation>
    </message>
    <message>
        <source>It holds no module {label}.</source>
        <translation>其中没有模块 {label}。</translation>
    </message>
    <message>
        <source>It holds {count:,} modules inside, which are not drawn: write each to a file of its own.</source>
        <translation>其中含有 {count:,} 个未绘制的模块：请把每个写入各自的文件。</translation>
    </message>
    <message>
        <source>It is a capture that jaxscope saved: nothing can be run from it.</source>
        <translation>这是 jaxscope 保存的捕获：不能从它运行任何东西。</translation>
    </message>
    <message>
        <source>It is a profile as JSON for trace viewers, which holds no module.</source>
        <translation>它是供追踪查看器用的 JSON 剖析文件，不含模块。</translation>
    </message>
    <message>
        <source>It is being called.</source>
        <translation>正在调用它。</translation>
    </message>
    <message>
        <source>It is empty.</source>
        <translation>它是空的。</translation>
    </message>
    <message>
        <source>It is given: each form begins with the same numbers.</source>
        <translation>它是给定的：每种方式都从相同的数开始。</translation>
    </message>
    <message>
        <source>It is gone from the optimized module: it holds passes back only until the last of them.</source>
        <translation>它在优化后的模块中已经没有了：它只能拦住 pass 直到最后几个之前。</translation>
    </message>
    <message>
        <source>It is hidden: no NaN or Inf of a result is computed from it.</source>
        <translation>它被遮住了：结果中的 NaN 或 Inf 都不是由它算出的。</translation>
    </message>
    <message>
        <source>It is in the jaxpr, the loop is not.</source>
        <translation>它在 jaxpr 中，循环不在其中。</translation>
    </message>
    <message>
        <source>It is in {folder}: start jaxscope there (`cd {quoted}`), or let the code open it by a path made from `__file__`.</source>
        <translation>它在 {folder} 中：请在那里启动 jaxscope（`cd {quoted}`），或者让代码用由 `__file__` 得到的路径打开它。</translation>
    </message>
    <message>
        <source>It is kept in {told}{more}.</source>
        <translation>它保存在 {told}{more} 中。</translation>
    </message>
    <message>
        <source>It is larger than {max_source_bytes} MiB.</source>
        <translation>它超过 {max_source_bytes} MiB。</translation>
    </message>
    <message>
        <source>It is neither LOW..HIGH nor NAME=LOW..HIGH.</source>
        <translation>它既不是 LOW..HIGH，也不是 NAME=LOW..HIGH。</translation>
    </message>
    <message>
        <source>It is nested more deeply than jaxscope can follow.</source>
        <translation>它的嵌套深度超出 jaxscope 能跟随的范围。</translation>
    </message>
    <message>
        <source>It is no regular file.</source>
        <translation>这不是普通文件。</translation>
    </message>
    <message>
        <source>It is not a regular file.</source>
        <translation>它不是普通文件。</translation>
    </message>
    <message>
        <source>It is not in {transform}, and JAX does not say why.</source>
        <translation>它不在 {transform} 中，JAX 没有说明原因。</translation>
    </message>
    <message>
        <source>It is not known what lives when in this module.</source>
        <translation>不知道在这个模块中什么在何时存活。</translation>
    </message>
    <message>
        <source>It is not written as Jupyter writes notebooks since 2015.</source>
        <translation>它不是 Jupyter 自 2015 年以来写 notebook 的格式。</translation>
    </message>
    <message>
        <source>It is of equation {id} ({where}) of the stage {stage}.</source>
        <translation>它属于阶段 {stage} 的方程 {id}（{where}）。</translation>
    </message>
    <message>
        <source>It is of equation {id} ({where}).</source>
        <translation>它属于方程 {id}（{where}）。</translation>
    </message>
    <message>
        <source>It may be cut off, or of a newer version. Open it with the JAX that wrote it: --python, in the window Run, Choose the interpreter.</source>
        <translation>它可能被截断，或来自更新的版本。请用写出它的那个 JAX 打开：--python，在窗口中是“运行”里的“选择解释器”。</translation>
    </message>
    <message>
        <source>It must be known while tracing: take it from `x.shape`, or make the argument static: `jit(f, static_argnames=…)`.</source>
        <translation>它必须在追踪时已知：请从 `x.shape` 取得，或把该参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>It names {name} without having it.</source>
        <translation>它提到了 {name}，却没有它。</translation>
    </message>
    <message>
        <source>It needs {needed}.</source>
        <translation>它需要 {needed}。</translation>
    </message>
    <message>
        <source>It only handed its operands on.</source>
        <translation>它只是把操作数传了下去。</translation>
    </message>
    <message>
        <source>It printed last: {last}</source>
        <translation>它最后打印：{last}</translation>
    </message>
    <message>
        <source>It prints each time the program runs; `print` prints once, while JAX traces.</source>
        <translation>程序每次运行它都会打印；`print` 只在 JAX 追踪时打印一次。</translation>
    </message>
    <message>
        <source>It raised {kind}.</source>
        <translation>它引发了 {kind}。</translation>
    </message>
    <message>
        <source>It runs as an instruction of its own.</source>
        <translation>它作为单独的一条指令运行。</translation>
    </message>
    <message>
        <source>It runs inside of a fusion.</source>
        <translation>它在一个融合里面运行。</translation>
    </message>
    <message>
        <source>It runs on {devices}.</source>
        <translation>它在 {devices} 上运行。</translation>
    </message>
    <message>
        <source>It runs while the condition of any element is true: an element whose condition is false keeps its values.</source>
        <translation>只要任一元素的条件为真就继续运行：条件为假的元素保持其值不变。</translation>
    </message>
    <message>
        <source>It takes about six times the passes of the matrix unit.</source>
        <translation>这样矩阵单元大约要做六倍的遍数。</translation>
    </message>
    <message>
        <source>It takes jaxlib's parser, and JAX cannot be imported here.</source>
        <translation>这需要 jaxlib 的解析器，而这里无法导入 JAX。</translation>
    </message>
    <message>
        <source>It touched what is selected.</source>
        <translation>它触及了所选内容。</translation>
    </message>
    <message>
        <source>It was ended: it ran for more than {budget_s:.0f} s.</source>
        <translation>已终止：运行超过了 {budget_s:.0f} 秒。</translation>
    </message>
    <message>
        <source>It was gone before XLA's first pass.</source>
        <translation>它在 XLA 的第一个 pass 之前就不在了。</translation>
    </message>
    <message>
        <source>It was looked for at {place}.</source>
        <translation>查找的位置是 {place}。</translation>
    </message>
    <message>
        <source>It was made at {place} in {made}.</source>
        <translation>它在 {made} 中的 {place} 处生成。</translation>
    </message>
    <message>
        <source>It was not compiled.</source>
        <translation>没有编译它。</translation>
    </message>
    <message>
        <source>It was not looked for.</source>
        <translation>没有去找它。</translation>
    </message>
    <message>
        <source>It was not measured.</source>
        <translation>没有测量。</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已经停止。</translation>
    </message>
    <message>
        <source>It was written as something simpler.</source>
        <translation>它被写成了更简单的形式。</translation>
    </message>
    <message>
        <source>It {fit}.</source>
        <translation>它{fit}。</translation>
    </message>
    <message>
        <source>Its arguments: {known}.</source>
        <translation>它的参数：{known}。</translation>
    </message>
    <message>
        <source>Its arrays: {names}.</source>
        <translation>它的数组：{names}。</translation>
    </message>
    <message>
        <source>Its equations could not be compared one by one.</source>
        <translation>无法逐个比较它的方程。</translation>
    </message>
    <message>
        <source>Its exit status was {exit_code}.</source>
        <translation>它的退出状态是 {exit_code}。</translation>
    </message>
    <message>
        <source>Its gradient would keep ({size})</source>
        <translation>其梯度会保留（{size}）</translation>
    </message>
    <message>
        <source>Its groups cannot be read: {error}.</source>
        <translation>它的分组无法读取：{error}。</translation>
    </message>
    <message>
        <source>Its instructions are not in the module that runs.</source>
        <translation>它的指令不在运行的模块中。</translation>
    </message>
    <message>
        <source>Its language is {language}.</source>
        <translation>它的语言是 {language}。</translation>
    </message>
    <message>
        <source>Its own backward rule; forward mode (`jvp`) raises a TypeError.</source>
        <translation>用它自己的反向规则；前向模式（`jvp`）会抛出 TypeError。</translation>
    </message>
    <message>
        <source>Its own rule is used under `vmap`; without `vmap` what is inside runs.</source>
        <translation>在 `vmap` 下使用它自己的规则；没有 `vmap` 时运行里面的内容。</translation>
    </message>
    <message>
        <source>Its own rule, in both modes, instead of that of what is inside.</source>
        <translation>在两种模式中都用它自己的规则，而不是里面内容的规则。</translation>
    </message>
    <message>
        <source>Its parts were merged with each other: the same operation on the same operands.</source>
        <translation>它的各部分相互合并了：对相同的操作数做相同的运算。</translation>
    </message>
    <message>
        <source>Its rounds have side effects: they are not run a second time.</source>
        <translation>它的各轮有副作用：不会再运行一次。</translation>
    </message>
    <message>
        <source>Its sharding cannot be read: {error}.</source>
        <translation>它的分布无法读取：{error}。</translation>
    </message>
    <message>
        <source>Its symbolic links go round in a circle.</source>
        <translation>它的符号链接形成了环。</translation>
    </message>
    <message>
        <source>Its value was computed{who}; an array is filled with it in {place}.</source>
        <translation>它的值已经算好{who}；{place} 用它填充数组。</translation>
    </message>
    <message>
        <source>Its value was known, so it became a constant.</source>
        <translation>它的值是已知的，所以变成了常量。</translation>
    </message>
    <message>
        <source>JAX 0.10.2 on a CPU</source>
        <translation>CPU 上的 JAX 0.10.2</translation>
    </message>
    <message>
        <source>JAX agrees.</source>
        <translation>JAX 的说法一致。</translation>
    </message>
    <message>
        <source>JAX and XLA</source>
        <translation>JAX 和 XLA</translation>
    </message>
    <message>
        <source>JAX calls {name}, to trace it by itself.</source>
        <translation>JAX 调用 {name}，单独追踪它。</translation>
    </message>
    <message>
        <source>JAX cannot be imported by {python}.</source>
        <translation>{python} 无法导入 JAX。</translation>
    </message>
    <message>
        <source>JAX cannot differentiate it: {why}</source>
        <translation>JAX 无法对它求导：{why}</translation>
    </message>
    <message>
        <source>JAX cannot run {name}: its path is no text in this system's encoding.</source>
        <translation>JAX 无法运行 {name}：它的路径不是这个系统编码中的文本。</translation>
    </message>
    <message>
        <source>JAX cannot trace a function of NumPy's.</source>
        <translation>JAX 无法追踪 NumPy 的函数。</translation>
    </message>
    <message>
        <source>JAX cannot trace this function: it is written in another language than Python.</source>
        <translation>JAX 无法追踪这个函数：它是用 Python 以外的语言写的。</translation>
    </message>
    <message>
        <source>JAX does not find the device that the code or the target asks for.</source>
        <translation>JAX 找不到代码或目标所要求的设备。</translation>
    </message>
    <message>
        <source>JAX does not tell how it is spread.</source>
        <translation>JAX 没有说明它是如何分布的。</translation>
    </message>
    <message>
        <source>JAX does not trace here: it computes at once.</source>
        <translation>JAX 在这里不追踪：它立即计算。</translation>
    </message>
    <message>
        <source>JAX explains it differently.</source>
        <translation>JAX 的解释不同。</translation>
    </message>
    <message>
        <source>JAX had lost the program</source>
        <translation>JAX 已经丢失这个程序</translation>
    </message>
    <message>
        <source>JAX itself</source>
        <translation>JAX 自身</translation>
    </message>
    <message>
        <source>JAX lowers it to searches and sorts, which are not counted</source>
        <translation>JAX 把它降级为查找和排序，这些不计入</translation>
    </message>
    <message>
        <source>JAX promises XLA that all are within: what is read there is undefined.</source>
        <translation>JAX 向 XLA 保证所有下标都在界内：在那里读到的内容没有定义。</translation>
    </message>
    <message>
        <source>JAX raises no error; checkify finds it if it checks indices.</source>
        <translation>JAX 不会抛出错误；若 checkify 检查索引，则由它发现。</translation>
    </message>
    <message>
        <source>JAX reads element {moved} instead.</source>
        <translation>JAX 改为读取元素 {moved}。</translation>
    </message>
    <message>
        <source>JAX sees {count} device(s) of the kind {kind}, counted from 0.</source>
        <translation>JAX 看到 {count} 个 {kind} 类设备，从 0 开始编号。</translation>
    </message>
    <message>
        <source>JAX was told to use {platforms}, and nothing that is installed here provides it.</source>
        <translation>JAX 被要求使用 {platforms}，而这里安装的内容都不提供它。</translation>
    </message>
    <message>
        <source>JAX writes element {moved} instead.</source>
        <translation>JAX 改为写入元素 {moved}。</translation>
    </message>
    <message>
        <source>JAX {jax} on {device}{where}</source>
        <translation>JAX {jax}，{device}{where}</translation>
    </message>
    <message>
        <source>JAX {version} has no {place}.{name}, a private name that this needs.</source>
        <translation>JAX {version} 没有 {place}.{name}，而这里需要这个内部名称。</translation>
    </message>
    <message>
        <source>JAX's description of the devices raised {name}.</source>
        <translation>读取 JAX 对设备的描述时引发了 {name}。</translation>
    </message>
    <message>
        <source>JAX's dump has the jaxpr as a text, which is not drawn as a graph.</source>
        <translation>JAX 的转储中 jaxpr 只是文本，不画成图。</translation>
    </message>
    <message>
        <source>JAX's lowering made no operation that carries its name.</source>
        <translation>JAX 在 lower 时没有生成带有它名称的运算。</translation>
    </message>
    <message>
        <source>JAX's lowering makes no operation of this {operation}: it {does}.</source>
        <translation>JAX 在 lower 时不为这个 {operation} 生成运算：它{does}。</translation>
    </message>
    <message>
        <source>JAX's own start, with a throw-away function</source>
        <translation>JAX 自身的启动，用一个一次性的函数</translation>
    </message>
    <message>
        <source>JAX's page on {name}</source>
        <translation>JAX 关于 {name} 的页面</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>JVP and backward solve once more: with the same function of the tangent, or with `transpose_solve` of the cotangent.</source>
        <translation>JVP 和反向都再求解一次：用同一个函数解切向量，或用 `transpose_solve` 解余切。</translation>
    </message>
    <message>
        <source>Jaxprs, StableHLO and HLO are the logical program: whole arrays, but for the insides of shard_map. The optimized program is what each device runs: its types, costs and memory are those of one device.</source>
        <translation>jaxpr、StableHLO 和 HLO 是逻辑程序：除了 shard_map 的里面，都是整个数组。优化后的程序是每个设备所运行的：它的类型、开销和内存都是一个设备的。</translation>
    </message>
    <message>
        <source>Jit both and call each three times. How many lines does each print, and what is in them?</source>
        <translation>对两者都用 jit，各调用三次。每个打印多少行，内容是什么？</translation>
    </message>
    <message>
        <source>Jit it once before the loop: f = jax.jit(lambda x: ...); for ...: f(x).</source>
        <translation>在循环之前只用 jit 包装一次：f = jax.jit(lambda x: ...); for ...: f(x)。</translation>
    </message>
    <message>
        <source>Jit the method and call it three times. What are the three answers?</source>
        <translation>对这个方法用 jit，并调用三次。三个答案是什么？</translation>
    </message>
    <message>
        <source>Join nested programs to their surroundings</source>
        <translation>把嵌套程序与外围相连</translation>
    </message>
    <message>
        <source>Joins a real and an imaginary part into complex numbers.</source>
        <translation>把实部和虚部合成复数。</translation>
    </message>
    <message>
        <source>Joins a real and an imaginary part.</source>
        <translation>把实部和虚部合在一起。</translation>
    </message>
    <message>
        <source>Joins arrays along a new axis.</source>
        <translation>沿一个新的轴把数组合在一起。</translation>
    </message>
    <message>
        <source>Joins arrays end to end along a dimension.</source>
        <translation>沿一个维度把数组首尾相接。</translation>
    </message>
    <message>
        <source>Joins arrays end to end along an axis.</source>
        <translation>沿一个轴把数组首尾相接。</translation>
    </message>
    <message>
        <source>Joins tokens, so that effects happen in order.</source>
        <translation>把若干 token 合在一起，使副作用按顺序发生。</translation>
    </message>
    <message>
        <source>Keep it from overflowing: bound the exponent, as by jnp.minimum(x, 80.0), or subtract the largest first, as jax.nn.softmax and jax.nn.logsumexp do.</source>
        <translation>避免溢出：限制指数，例如用 jnp.minimum(x, 80.0)；或先减去最大值，如 jax.nn.softmax 和 jax.nn.logsumexp 所做的那样。</translation>
    </message>
    <message>
        <source>Keep nothing of a trace: return what the function makes, or fill the cache outside.</source>
        <translation>不要保留追踪中的内容：请返回函数生成的结果，或者在外面填写缓存。</translation>
    </message>
    <message>
        <source>Keep shapes and Python control flow free of array values, or make the argument static: `jit(f, static_argnames=…)`.</source>
        <translation>不要让形状和 Python 控制流依赖数组的值，或者把参数设为静态的：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Keep what is differentiated away from where its derivative is infinite, as by a small number that is added. A branch counts even where jnp.where drops its value: give it a safe operand, as in jnp.sqrt(jnp.where(x &gt; 0, x, 1.0)).</source>
        <translation>让求导的量远离导数为无穷大的地方，例如加上一个小的数。即使 jnp.where 丢弃了某个分支的值，这个分支也会计入：请给它一个安全的操作数，如 jnp.sqrt(jnp.where(x &gt; 0, x, 1.0))。</translation>
    </message>
    <message>
        <source>Keep what the equation reads where it has a finite result and derivative.</source>
        <translation>让方程读取的值处于结果和导数都有限的范围内。</translation>
    </message>
    <message>
        <source>Keeps the compiler from moving or merging work across this point.</source>
        <translation>不让编译器把工作移过此处或跨过此处合并。</translation>
    </message>
    <message>
        <source>Keeps the larger value at many index positions.</source>
        <translation>在许多下标位置上保留较大的值。</translation>
    </message>
    <message>
        <source>Keeps the smaller value at many index positions.</source>
        <translation>在许多下标位置上保留较小的值。</translation>
    </message>
    <message>
        <source>Kept for the backward part</source>
        <translation>为反向部分保留</translation>
    </message>
    <message>
        <source>Kept for the backward part of {stage}: {much}</source>
        <translation>为 {stage} 的反向部分保留：{much}</translation>
    </message>
    <message>
        <source>Kept for the backward part, in the jaxpr ({size})</source>
        <translation>为反向部分保留，按 jaxpr（{size}）</translation>
    </message>
    <message>
        <source>Kernel {name}</source>
        <translation>内核 {name}</translation>
    </message>
    <message>
        <source>Kernels in branches count as if their branch were taken; of a condition's branches one runs, so sums go from the cheapest to the dearest.</source>
        <translation>分支中的内核按该分支会执行计；条件的各分支只运行一个，所以总和是从开销最小的到最大的。</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>LLVM: machine code of a part</source>
        <translation>LLVM：一部分的机器码</translation>
    </message>
    <message>
        <source>Large</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Larger type</source>
        <translation>字体加大</translation>
    </message>
    <message>
        <source>Later calls took {value} times as long as earlier ones.</source>
        <translation>后面的调用用时是前面的 {value} 倍。</translation>
    </message>
    <message>
        <source>Later ones may find there what the compiled call computes each time.</source>
        <translation>以后的调用可能在那里找到编译后的调用每次都要计算的内容。</translation>
    </message>
    <message>
        <source>Lay views out as at first</source>
        <translation>恢复最初的视图布局</translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation>正在布局</translation>
    </message>
    <message>
        <source>Laying out {size} … Esc stops</source>
        <translation>正在为 {size}布局 … Esc 停止</translation>
    </message>
    <message>
        <source>Laying out … Esc stops</source>
        <translation>正在布局 … Esc 停止</translation>
    </message>
    <message>
        <source>Lays an array out over devices in another way.</source>
        <translation>以另一种方式把数组分布到设备上。</translation>
    </message>
    <message>
        <source>Leave `{argument}` out of static_argnums or static_argnames: `{function}` only computes with it, so it can be traced.</source>
        <translation>不要把 `{argument}` 列入 static_argnums 或 static_argnames：`{function}` 只用它做计算，所以它可以被追踪。</translation>
    </message>
    <message>
        <source>Leave it out of `static_argnums` and `static_argnames`: what is static must be hashable, as numbers, strings and tuples are.</source>
        <translation>不要把它写进 `static_argnums` 和 `static_argnames`：静态参数必须可哈希，如数字、字符串和元组。</translation>
    </message>
    <message>
        <source>Leave it out, or put it into jax.pure_callback.</source>
        <translation>请去掉它，或放进 jax.pure_callback。</translation>
    </message>
    <message>
        <source>Leave out what is being measured now, and go on with the rest (Ctrl+Shift+S)</source>
        <translation>跳过正在测量的内容，继续其余部分（Ctrl+Shift+S）</translation>
    </message>
    <message>
        <source>Leave the call out, or name the Python file to run this one.</source>
        <translation>请不写调用，或指明 Python 文件来运行这个调用。</translation>
    </message>
    <message>
        <source>Left out of the results, because JAX cannot trace what is no array: {names}.</source>
        <translation>没有算在结果中，因为 JAX 无法追踪不是数组的东西：{names}。</translation>
    </message>
    <message>
        <source>Left out: finding the peaks of the modules before it took long enough.</source>
        <translation>略去：找出之前各模块的峰值已经花了足够长的时间。</translation>
    </message>
    <message>
        <source>Legend of the graph</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Legend: {names}</source>
        <translation>图例：{names}</translation>
    </message>
    <message>
        <source>Less</source>
        <translation>更少</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Lesson and samples</source>
        <translation>课程和示例</translation>
    </message>
    <message>
        <source>Lesson · {number} of {num_parts}</source>
        <translation>课程 · {number} / {num_parts}</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>各课</translation>
    </message>
    <message>
        <source>Let Graphviz lay out what it is quick at</source>
        <translation>Graphviz 擅长的部分交给它布局</translation>
    </message>
    <message>
        <source>Let XLA turn StableHLO into a program for the target.</source>
        <translation>让 XLA 把 StableHLO 变成目标上的程序。</translation>
    </message>
    <message>
        <source>Let all of them return arrays of the same shapes and dtypes, in the same structure.</source>
        <translation>请让所有分支以相同的结构返回相同形状和 dtype 的数组。</translation>
    </message>
    <message>
        <source>Let the body return the shapes and dtypes that it gets, such as by `.astype(…)`, or begin with those that it returns.</source>
        <translation>请让循环体返回它所得到的形状和 dtype，例如用 `.astype(…)`，或以它所返回的形状和 dtype 开始。</translation>
    </message>
    <message>
        <source>Let the function return, or raise an error, in place of ending the program.</source>
        <translation>让函数返回或抛出错误，不要结束程序。</translation>
    </message>
    <message>
        <source>Licensed under the Apache License 2.0.</source>
        <translation>按 Apache License 2.0 授权。</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>浅色或深色</translation>
    </message>
    <message>
        <source>Limits every element to a lowest and a highest value.</source>
        <translation>把每个元素限制在最低值和最高值之间。</translation>
    </message>
    <message>
        <source>Line {lineno}: {msg}.</source>
        <translation>第 {lineno} 行：{msg}。</translation>
    </message>
    <message>
        <source>Line {line} of {file} makes {most} what depends on no argument. Compute it once outside of the function with NumPy and pass it as an argument.</source>
        <translation>{file} 的第 {line} 行产生了{most}不依赖任何参数的内容。请在函数之外用 NumPy 计算一次，再作为参数传入。</translation>
    </message>
    <message>
        <source>Linear in {x} and in {y}: of d{x} and {y}, plus of {x} and d{y}.</source>
        <translation>对 {x} 是线性的，对 {y} 也是：d{x} 与 {y} 的，加上 {x} 与 d{y} 的。</translation>
    </message>
    <message>
        <source>Linear in {x} and {y}: the operation itself, of d{x} and d{y}.</source>
        <translation>对 {x} 和 {y} 是线性的：对 d{x} 和 d{y} 做同样的运算。</translation>
    </message>
    <message>
        <source>Linear in {x}: the operation itself, of d{x}.</source>
        <translation>对 {x} 是线性的：对 d{x} 做同样的运算。</translation>
    </message>
    <message>
        <source>Linear regression</source>
        <translation>线性回归</translation>
    </message>
    <message>
        <source>Lines and nodes</source>
        <translation>行和节点</translation>
    </message>
    <message>
        <source>Lines that ran</source>
        <translation>运行过的行</translation>
    </message>
    <message>
        <source>Lines, scopes and equations with a part of what XLA does not count are left out.</source>
        <translation>略去了含有 XLA 未计数部分的行、作用域和方程。</translation>
    </message>
    <message>
        <source>Linking stages</source>
        <translation>正在关联各阶段</translation>
    </message>
    <message>
        <source>Literals in labels</source>
        <translation>标签中的字面量</translation>
    </message>
    <message>
        <source>Live ranges are computed from the scheduled module, and values are added up: XLA needs less where one is written over another that nobody reads any more, or where a result will be, and a little more where it leaves gaps.</source>
        <translation>存活区间由调度后的模块算出，各值相加：有的值写在不再有人读取的值之上，或写在将来放结果的地方，XLA 需要的就更少；它留下空隙时，需要的稍多一些。</translation>
    </message>
    <message>
        <source>Live ranges are computed from the scheduled module; each value lies where XLA put it, and memory that several share counts once. What XLA allocates may be more: gaps between values, and tables of addresses of tuples, such as the state of a loop.</source>
        <translation>存活区间由调度后的模块算出；每个值都在 XLA 所放的位置，几个值共用的内存只算一次。XLA 分配的可能更多：值之间的空隙，以及元组（如循环的状态）的地址表。</translation>
    </message>
    <message>
        <source>Load an argument</source>
        <translation>载入一个参数</translation>
    </message>
    <message>
        <source>Load an array of this shape, or change the call.</source>
        <translation>请载入这种形状的数组，或修改调用。</translation>
    </message>
    <message>
        <source>Load …</source>
        <translation>载入 …</translation>
    </message>
    <message>
        <source>Logarithmic axis; upright lines are medians.</source>
        <translation>对数轴；竖线是中位数。</translation>
    </message>
    <message>
        <source>Look at</source>
        <translation>看</translation>
    </message>
    <message>
        <source>Look at it: jaxscope open {name}. To run a call, name its Python file.</source>
        <translation>查看它：jaxscope open {name}。要运行调用，请指明它的 Python 文件。</translation>
    </message>
    <message>
        <source>Look at it: jaxscope {name}. To run a call, name its Python file.</source>
        <translation>查看它：jaxscope {name}。要运行调用，请指明它的 Python 文件。</translation>
    </message>
    <message>
        <source>Look at it: jaxscope {path}</source>
        <translation>要查看它：jaxscope {path}</translation>
    </message>
    <message>
        <source>Look at its values</source>
        <translation>查看它的值</translation>
    </message>
    <message>
        <source>Look for a division by zero, `log` or `sqrt` of a value at or below zero, or overflow.</source>
        <translation>请查找除以零、对小于或等于零的值取 `log` 或 `sqrt`、或者上溢的地方。</translation>
    </message>
    <message>
        <source>Looking for NaN and Inf</source>
        <translation>正在查找 NaN 和 Inf</translation>
    </message>
    <message>
        <source>Looking for NaN ran the program once more: what it prints came again.</source>
        <translation>为查找 NaN 又运行了一次程序：它打印的内容再次出现。</translation>
    </message>
    <message>
        <source>Looking for a call that traces</source>
        <translation>正在查找能追踪的调用</translation>
    </message>
    <message>
        <source>Looking for arguments that trace</source>
        <translation>正在查找能追踪的参数</translation>
    </message>
    <message>
        <source>Looking for devices</source>
        <translation>正在查找设备</translation>
    </message>
    <message>
        <source>Looking for it failed: {why}</source>
        <translation>查找失败：{why}</translation>
    </message>
    <message>
        <source>Looking for it was given up after {seconds:.0f} s.</source>
        <translation>查找在 {seconds:.0f} 秒之后放弃。</translation>
    </message>
    <message>
        <source>Looking for the equation that made what is not finite</source>
        <translation>正在查找产生非有限值的方程</translation>
    </message>
    <message>
        <source>Looking for what could be avoided</source>
        <translation>正在查找可以避免的部分</translation>
    </message>
    <message>
        <source>Looking for where the difference arises</source>
        <translation>正在查找差别从哪里产生</translation>
    </message>
    <message>
        <source>Loops and branches are equations with programs inside.</source>
        <translation>循环和分支是内含程序的方程。</translation>
    </message>
    <message>
        <source>Loops count as often as they run.</source>
        <translation>循环运行多少次就计多少次。</translation>
    </message>
    <message>
        <source>Lowering to StableHLO</source>
        <translation>正在 lower 到 StableHLO</translation>
    </message>
    <message>
        <source>MLIR and LLVM IR of a kernel</source>
        <translation>内核的 MLIR 和 LLVM IR</translation>
    </message>
    <message>
        <source>Machine code in an entry of the compilation cache is not read.</source>
        <translation>不读取编译缓存条目中的机器码。</translation>
    </message>
    <message>
        <source>Made in {seconds}</source>
        <translation>生成用时 {seconds}</translation>
    </message>
    <message>
        <source>Make `self` static: `@partial(jax.jit, static_argnums=0)`, after which what it holds must not change. Or make a pytree of the class, as `equinox.Module` and `jax.tree_util.register_dataclass` do.</source>
        <translation>请把 `self` 设为静态：`@partial(jax.jit, static_argnums=0)`，此后它所包含的内容不得改变。或把该类做成 pytree，如 `equinox.Module` 和 `jax.tree_util.register_dataclass` 那样。</translation>
    </message>
    <message>
        <source>Make `{name}` static: `jit(f, static_argnames="{name}")`, or pass an array.</source>
        <translation>请把 `{name}` 设为静态：`jit(f, static_argnames="{name}")`，或传入数组。</translation>
    </message>
    <message>
        <source>Make a key of a number: `jax.random.key(0)`; in a call, `key(0)`.</source>
        <translation>请由数字生成密钥：`jax.random.key(0)`；在调用中写 `key(0)`。</translation>
    </message>
    <message>
        <source>Make all by jax.random.key, of one implementation.</source>
        <translation>请都用 jax.random.key 以同一种实现生成。</translation>
    </message>
    <message>
        <source>Make arrays of lists and tuples: `jnp.asarray(…)`. Strings and `None` have no place among arrays.</source>
        <translation>请把列表和元组变成数组：`jnp.asarray(…)`。字符串和 `None` 不能与数组混用。</translation>
    </message>
    <message>
        <source>Make it in the call: `def {function}(…, {name}=None)` and `{name} = … if {name} is None else {name}`; or return what the function makes.</source>
        <translation>在调用中生成它：`def {function}(…, {name}=None)`，以及 `{name} = … if {name} is None else {name}`；或者返回函数所生成的内容。</translation>
    </message>
    <message>
        <source>Make real numbers of it, such as `.real` or `jnp.abs(…)`, or say `holomorphic=True` where the function is holomorphic and its arguments are complex.</source>
        <translation>请把结果变成实数，例如 `.real` 或 `jnp.abs(…)`；若函数是全纯的且参数为复数，则写 `holomorphic=True`。</translation>
    </message>
    <message>
        <source>Make the dump anew, or name another file.</source>
        <translation>请重新转储，或指明另一个文件。</translation>
    </message>
    <message>
        <source>Make the key before the loop and jax.random.fold_in(key, i) in it, or scan over jax.random.split(key, n).</source>
        <translation>在循环之前生成密钥，在循环中用 jax.random.fold_in(key, i)，或者对 jax.random.split(key, n) 做 scan。</translation>
    </message>
    <message>
        <source>Makes a function; its lines run when it is called.</source>
        <translation>生成一个函数；它的各行在调用时才运行。</translation>
    </message>
    <message>
        <source>Makes a new key from a key and a number.</source>
        <translation>由一个密钥和一个数生成新的密钥。</translation>
    </message>
    <message>
        <source>Makes a random key from a seed.</source>
        <translation>由种子生成一个随机密钥。</translation>
    </message>
    <message>
        <source>Makes a reference: a place whose value can be read and overwritten.</source>
        <translation>生成一个引用：一个可以读取和改写其值的地方。</translation>
    </message>
    <message>
        <source>Makes a sparse array: the elements that are not zero, and their places.</source>
        <translation>生成一个稀疏数组：不为零的元素和它们的位置。</translation>
    </message>
    <message>
        <source>Makes a token that orders effects.</source>
        <translation>生成一个为副作用排序的 token。</translation>
    </message>
    <message>
        <source>Makes a typed key out of plain integers.</source>
        <translation>由普通整数生成带类型的密钥。</translation>
    </message>
    <message>
        <source>Makes an ordinary array of a sparse one.</source>
        <translation>由稀疏数组生成普通数组。</translation>
    </message>
    <message>
        <source>Makes random bits from a key.</source>
        <translation>由密钥生成随机位。</translation>
    </message>
    <message>
        <source>Makes random bits.</source>
        <translation>生成随机位。</translation>
    </message>
    <message>
        <source>Makes several independent keys from one.</source>
        <translation>由一个密钥生成几个独立的密钥。</translation>
    </message>
    <message>
        <source>Making it would take long: the program has {count:,} equations, and tracing them took {seconds:.1f} s.</source>
        <translation>生成它会花很长时间：程序有 {count:,} 个方程，追踪它们用了 {seconds:.1f} s。</translation>
    </message>
    <message>
        <source>Many devices</source>
        <translation>许多设备</translation>
    </message>
    <message>
        <source>Mark it static: `jit(f, static_argnames=…)`, or pass an array.</source>
        <translation>请把它标为静态的：`jit(f, static_argnames=…)`，或者传入数组。</translation>
    </message>
    <message>
        <source>Mark what differs</source>
        <translation>标出差别</translation>
    </message>
    <message>
        <source>Mark what is selected with Ctrl+Shift+B, and write about it with Ctrl+Shift+N. Bookmarks are saved with the capture. Double-click a note to change it.</source>
        <translation>用 Ctrl+Shift+B 标记所选内容，用 Ctrl+Shift+N 为它写笔记。书签随捕获一起保存。双击笔记可以修改。</translation>
    </message>
    <message>
        <source>Mark what one holds:</source>
        <translation>标出它持有的部分：</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Marks a border between parts of the program; nothing is computed.</source>
        <translation>标出程序各部分之间的边界；什么也不计算。</translation>
    </message>
    <message>
        <source>Marks a value as differing between devices; nothing is computed.</source>
        <translation>标明一个值在各设备上不同；什么也不计算。</translation>
    </message>
    <message>
        <source>Marks a value as equal on all devices or as differing; nothing is computed.</source>
        <translation>标明一个值在所有设备上相同或不同；什么也不计算。</translation>
    </message>
    <message>
        <source>Matrix products of groups of differing size.</source>
        <translation>若干组大小不同的矩阵乘积。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Measure a function that returns the values, such as list(f(x)).</source>
        <translation>请测量返回这些值的函数，如 list(f(x))。</translation>
    </message>
    <message>
        <source>Measure a function that returns the values.</source>
        <translation>请测量返回这些值的函数。</translation>
    </message>
    <message>
        <source>Measure all sizes</source>
        <translation>测量所有大小</translation>
    </message>
    <message>
        <source>Measure each node</source>
        <translation>测量每个节点</translation>
    </message>
    <message>
        <source>Measure eager, too</source>
        <translation>也测急切执行</translation>
    </message>
    <message>
        <source>Measure how long the call takes, eager and jit</source>
        <translation>测量这个调用在急切执行和 jit 下各需多久</translation>
    </message>
    <message>
        <source>Measure in six processes</source>
        <translation>用六个进程测量</translation>
    </message>
    <message>
        <source>Measure its time</source>
        <translation>测量用时</translation>
    </message>
    <message>
        <source>Measure the gradient as well; takes about three times as long</source>
        <translation>也测量梯度；大约需要三倍的时间</translation>
    </message>
    <message>
        <source>Measure this machine</source>
        <translation>测量这台机器</translation>
    </message>
    <message>
        <source>Measured across processes: {pairs} of fresh processes that took turns in random order; each pair counts as one value.</source>
        <translation>跨进程测量：{pairs}新的进程按随机次序轮流；每一对算一个值。</translation>
    </message>
    <message>
        <source>Measured by XLA's profiler while the job ran. The graph, the table of nodes and the inspector show the times, too.</source>
        <translation>作业运行时由 XLA 的分析器测得。图、节点表和检查器也显示这些时间。</translation>
    </message>
    <message>
        <source>Measured for {call}:</source>
        <translation>这是 {call} 的测量结果：</translation>
    </message>
    <message>
        <source>Measured for {of}, not for what is shown now:</source>
        <translation>这是 {of} 的测量结果，不是现在所显示内容的：</translation>
    </message>
    <message>
        <source>Measured in one process, in random pairs; another process may show another ratio.</source>
        <translation>在一个进程中以随机成对的方式测量；另一个进程可能得到不同的比值。</translation>
    </message>
    <message>
        <source>Measured in {number} fresh processes, each of which counts as one value.</source>
        <translation>在 {number} 个新的进程中测量，每个进程算一个值。</translation>
    </message>
    <message>
        <source>Measured on {parts}.</source>
        <translation>测量于 {parts}。</translation>
    </message>
    <message>
        <source>Measured time</source>
        <translation>测得的时间</translation>
    </message>
    <message>
        <source>Measured twice; the first time {told}.</source>
        <translation>测量了两次；第一次为 {told}。</translation>
    </message>
    <message>
        <source>Measured {where}: {flops}/s and {bandwidth}/s at best (median {median_flops}/s, {median_bandwidth}/s); they meet at {ridge} FLOP/byte.</source>
        <translation>测量于 {where}：最高 {flops}/s 和 {bandwidth}/s（中位数 {median_flops}/s、{median_bandwidth}/s）；两者相交于 {ridge} FLOP/字节。</translation>
    </message>
    <message>
        <source>Measurements</source>
        <translation>测量结果</translation>
    </message>
    <message>
        <source>Measurements by size</source>
        <translation>各种大小的测量结果</translation>
    </message>
    <message>
        <source>Measuring at {named} = {size:,}</source>
        <translation>正在 {named} = {size:,} 处测量</translation>
    </message>
    <message>
        <source>Measuring both in random pairs</source>
        <translation>正在以随机成对的方式测量两者</translation>
    </message>
    <message>
        <source>Measuring ended early: {why}</source>
        <translation>测量提前结束：{why}</translation>
    </message>
    <message>
        <source>Measuring once more at {named} = {size:,}</source>
        <translation>正在 {named} = {size:,} 处再测量一次</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory at each step; the table below has what is alive</source>
        <translation>每一步的内存；下面的表格列出存活的内容</translation>
    </message>
    <message>
        <source>Memory bounds {bound:,} of {count}</source>
        <translation>{count}中有 {bound:,} 个受内存限制</translation>
    </message>
    <message>
        <source>Memory of the device over time</source>
        <translation>设备内存随时间的变化</translation>
    </message>
    <message>
        <source>Memory per device: arguments {arguments}, results {results}, temporaries {temporaries}.</source>
        <translation>每个设备的内存：参数 {arguments}，结果 {results}，临时量 {temporaries}。</translation>
    </message>
    <message>
        <source>Memory per device: not available: {reason}</source>
        <translation>每个设备的内存：不可用：{reason}</translation>
    </message>
    <message>
        <source>Menus</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Merge, remove, fold, fuse, reuse.</source>
        <translation>合并、删除、折叠、融合、复用。</translation>
    </message>
    <message>
        <source>Merged with {name}{who}: the same operation on the same operands.</source>
        <translation>与 {name} 合并 {who}：对相同的操作数做相同的运算。</translation>
    </message>
    <message>
        <source>Missing on this machine</source>
        <translation>这台机器上缺少</translation>
    </message>
    <message>
        <source>Modules import each other, and one was asked for a name before it had it.</source>
        <translation>几个模块相互导入，其中一个在还没有某个名称时就被索取。</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>More about it</source>
        <translation>更多相关页面</translation>
    </message>
    <message>
        <source>More than three values that a loop carries, slices or stacks are one box.</source>
        <translation>循环携带、切片或堆叠的值超过三个时是一个方框。</translation>
    </message>
    <message>
        <source>Move data out of the source file and load it from a data file.</source>
        <translation>请把数据移出源文件，从数据文件载入。</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>向下移动</translation>
    </message>
    <message>
        <source>Move inward</source>
        <translation>向内移动</translation>
    </message>
    <message>
        <source>Move outward</source>
        <translation>向外移动</translation>
    </message>
    <message>
        <source>Move the view {pane}, or open its menu</source>
        <translation>移动视图“{pane}”，或打开其菜单</translation>
    </message>
    <message>
        <source>Move to the left</source>
        <translation>向左移动</translation>
    </message>
    <message>
        <source>Move to the right</source>
        <translation>向右移动</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>向上移动</translation>
    </message>
    <message>
        <source>Multiplies Householder reflections; a step of the QR decomposition.</source>
        <translation>把 Householder 反射相乘；QR 分解的一步。</translation>
    </message>
    <message>
        <source>Multiplies two arrays element by element.</source>
        <translation>两个数组逐元素相乘。</translation>
    </message>
    <message>
        <source>Multiplies values at many index positions.</source>
        <translation>在许多下标位置上乘以数值。</translation>
    </message>
    <message>
        <source>Multiplying matrices of {side} by {side}</source>
        <translation>正在计算 {side} × {side} 矩阵的乘积</translation>
    </message>
    <message>
        <source>N: on without equations</source>
        <translation>N：跳过方程前进</translation>
    </message>
    <message>
        <source>N: on without lines</source>
        <translation>N：跳过各行前进</translation>
    </message>
    <message>
        <source>NAME=VALUE, NAME=VALUE, such as xla_disable_hlo_passes=algsimp: what XLA compiles the other side with</source>
        <translation>NAME=VALUE, NAME=VALUE，例如 xla_disable_hlo_passes=algsimp：XLA 编译另一方时使用的选项</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>NaN comes last.</source>
        <translation>NaN 排在最后。</translation>
    </message>
    <message>
        <source>NaN differs from everything, also from NaN.</source>
        <translation>NaN 与一切都不同，与 NaN 也不同。</translation>
    </message>
    <message>
        <source>NaN equals nothing, not even NaN.</source>
        <translation>NaN 不等于任何值，也不等于 NaN。</translation>
    </message>
    <message>
        <source>NaN red</source>
        <translation>NaN 红色</translation>
    </message>
    <message>
        <source>Name a Python file; it may be empty but for its imports.</source>
        <translation>请指定一个 Python 文件；除了导入语句，它可以是空的。</translation>
    </message>
    <message>
        <source>Name a dump folder of XLA (--xla_dump_to) or of JAX (JAX_DUMP_IR_TO), or a file of one of these kinds.</source>
        <translation>请指定 XLA（--xla_dump_to）或 JAX（JAX_DUMP_IR_TO）的转储文件夹，或者这些种类的文件。</translation>
    </message>
    <message>
        <source>Name a file in a folder that exists.</source>
        <translation>请指定一个位于已有文件夹中的文件。</translation>
    </message>
    <message>
        <source>Name a file that is complete and that you may read.</source>
        <translation>请指定一个完整的、您有读取权限的文件。</translation>
    </message>
    <message>
        <source>Name a file.</source>
        <translation>请指明一个文件。</translation>
    </message>
    <message>
        <source>Name a folder that you may read.</source>
        <translation>请指定一个您有读取权限的文件夹。</translation>
    </message>
    <message>
        <source>Name a function of the file.</source>
        <translation>请写出文件中一个函数的名称。</translation>
    </message>
    <message>
        <source>Name a newer one there with --python, such as --python '~/venv/bin/python'.</source>
        <translation>请用 --python 指明那里一个更新的版本，如 --python '~/venv/bin/python'。</translation>
    </message>
    <message>
        <source>Name a regular file with Python code.</source>
        <translation>请指明一个含 Python 代码的普通文件。</translation>
    </message>
    <message>
        <source>Name one of them with --stage.</source>
        <translation>请用 --stage 指明其中一个。</translation>
    </message>
    <message>
        <source>Name one or several, such as f(f32[10]) and f(f32[11]): after --recompilations of `jaxscope time`, or one before the question of `jaxscope ask`. What a script compiles with its own arguments: {command}</source>
        <translation>请指名一个或几个，例如 f(f32[10]) 和 f(f32[11])：写在 `jaxscope time` 的 --recompilations 之后，或把一个写在 `jaxscope ask` 的问题之前。脚本用自己的参数编译了什么：{command}</translation>
    </message>
    <message>
        <source>Name one: {name}{in_archive}{first}</source>
        <translation>请指明一个：{name}{in_archive}{first}</translation>
    </message>
    <message>
        <source>Name the file of a smaller module.</source>
        <translation>请指定较小的模块的文件。</translation>
    </message>
    <message>
        <source>Name the real file.</source>
        <translation>请指明真正的文件。</translation>
    </message>
    <message>
        <source>Name this view</source>
        <translation>命名视图</translation>
    </message>
    <message>
        <source>Name this view …</source>
        <translation>命名此视图 …</translation>
    </message>
    <message>
        <source>Name, or nothing:</source>
        <translation>名称，可以留空：</translation>
    </message>
    <message>
        <source>Named scopes and module paths are boxes.</source>
        <translation>具名作用域和模块路径是方框。</translation>
    </message>
    <message>
        <source>Narrow the focus</source>
        <translation>缩小聚焦范围</translation>
    </message>
    <message>
        <source>Nearly equal numbers lose digits: in float32 (1e8 + 1) - 1e8 is 0.</source>
        <translation>相近的数会丢失位数：在 float32 中 (1e8 + 1) - 1e8 是 0。</translation>
    </message>
    <message>
        <source>Needs the program dot; jaxscope lays out all that takes dot too long.</source>
        <translation>需要程序 dot；dot 太慢的部分由 jaxscope 布局。</translation>
    </message>
    <message>
        <source>Negative padding cuts elements off.</source>
        <translation>负的填充会切掉元素。</translation>
    </message>
    <message>
        <source>Neither a file nor a call is named.</source>
        <translation>既没有指明文件，也没有指明调用。</translation>
    </message>
    <message>
        <source>Neither dtypes nor shapes fit together.</source>
        <translation>dtype 和形状都不匹配。</translation>
    </message>
    <message>
        <source>Neither hidden randomness nor hidden state exists in JAX. Where do they go?</source>
        <translation>JAX 里既没有隐藏的随机性，也没有隐藏的状态。它们到哪里去了？</translation>
    </message>
    <message>
        <source>Neither side has a stage {title}.</source>
        <translation>两侧都没有阶段 {title}。</translation>
    </message>
    <message>
        <source>Neither side was measured, so which of the two is faster is not known. A saved capture keeps what was measured of it, and jaxscope time FILE CALL --against CALL measures two in turns.</source>
        <translation>两侧都没有测量，所以不知道哪个更快。已保存的捕获会保留它的测量结果；jaxscope time FILE CALL --against CALL 会轮流测量两个调用。</translation>
    </message>
    <message>
        <source>Neither side was measured, so which of the two is faster is not known. This measures them in turns: {command}</source>
        <translation>两侧都没有测量，所以不知道哪个更快。以下命令轮流测量它们：{command}</translation>
    </message>
    <message>
        <source>Neither side was measured: what is compiled ahead of time for a chip that is not here cannot run. Estimates by the chip's published peaks: jaxscope targets FILE CALL.</source>
        <translation>两侧都没有测量：为不在这里的芯片提前编译的程序无法运行。按芯片公布的峰值估计：jaxscope targets FILE CALL。</translation>
    </message>
    <message>
        <source>Neither sizes nor what is varied was named.</source>
        <translation>既没有指明大小，也没有指明改变什么。</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Next bookmark</source>
        <translation>下一个书签</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Next that was found</source>
        <translation>下一个查找结果</translation>
    </message>
    <message>
        <source>Next to nothing. Put the three calls side by side: the FLOPs of `value_and_grad(loss)` are those of `grad(loss)` and a handful more for the last line, far below the sum of the value's and the gradient's. In its graph the forward equations feed the loss and the backward ones alike.</source>
        <translation>几乎没有。把三个调用并排放在一起：`value_and_grad(loss)` 的 FLOP 就是 `grad(loss)` 的，再加上最后一行的少许，远低于函数值和梯度各自之和。在它的图中，前向的方程既供给损失，也供给反向的方程。</translation>
    </message>
    <message>
        <source>Next view</source>
        <translation>下一个视图</translation>
    </message>
    <message>
        <source>Next: {heading}</source>
        <translation>接下来：{heading}</translation>
    </message>
    <message>
        <source>Next: {title}</source>
        <translation>接下来：{title}</translation>
    </message>
    <message>
        <source>No HLO module is found in this entry of the cache, as of a TPU.</source>
        <translation>在此缓存条目中没有找到 HLO 模块，TPU 的条目就是如此。</translation>
    </message>
    <message>
        <source>No argument of the traced function is part of it. What is made of constants alone can be computed with NumPy, before the function is traced, or inside of `with jax.ensure_compile_time_eval():`. Else use `jnp.where` or `jax.lax.cond`.</source>
        <translation>它不含被追踪函数的任何参数。只由常量得出的值，可以用 NumPy、在追踪函数之前、或在 `with jax.ensure_compile_time_eval():` 之内计算；否则请用 `jnp.where` 或 `jax.lax.cond`。</translation>
    </message>
    <message>
        <source>No arguments were found with which {name} traces.</source>
        <translation>没有找到能让 {name} 追踪成功的参数。</translation>
    </message>
    <message>
        <source>No array argument {name} has a dimension {dimension}.</source>
        <translation>没有名为 {name}、具有维度 {dimension} 的数组参数。</translation>
    </message>
    <message>
        <source>No call was found</source>
        <translation>没有找到可用的调用</translation>
    </message>
    <message>
        <source>No call was run before this one.</source>
        <translation>在此之前没有运行过别的调用。</translation>
    </message>
    <message>
        <source>No change of the call was undone.</source>
        <translation>没有撤销过对调用的更改。</translation>
    </message>
    <message>
        <source>No communication: each device works on its own.</source>
        <translation>没有通信：每个设备独自工作。</translation>
    </message>
    <message>
        <source>No difference is listed for this stage.</source>
        <translation>这个阶段没有列出差别。</translation>
    </message>
    <message>
        <source>No difference that is sure</source>
        <translation>没有确定的差别</translation>
    </message>
    <message>
        <source>No difference that is sure: {before} and {after} overlap.</source>
        <translation>没有确定的差别：{before} 与 {after} 相互重叠。</translation>
    </message>
    <message>
        <source>No difference that is sure: {why}.</source>
        <translation>没有确定的差别：{why}。</translation>
    </message>
    <message>
        <source>No equation from there to the end has such a value.</source>
        <translation>从那里到终点，没有方程有这样的值。</translation>
    </message>
    <message>
        <source>No equation made that Inf.</source>
        <translation>没有方程产生这个 Inf。</translation>
    </message>
    <message>
        <source>No equation made that Inf: an argument or a constant holds it.</source>
        <translation>那个 Inf 不是方程产生的：它在一个参数或常量中。</translation>
    </message>
    <message>
        <source>No equation makes NaN or Inf of finite operands.</source>
        <translation>没有方程由有限的操作数产生 NaN 或 Inf。</translation>
    </message>
    <message>
        <source>No equation makes such a value when they are run one by one: only the compiled program does.</source>
        <translation>逐个运行方程时没有一个产生这样的值：只有编译后的程序会产生。</translation>
    </message>
    <message>
        <source>No equation names {where}, but of the same statement equations name {lines}.</source>
        <translation>没有方程指明{where}，但同一语句中有方程指明{lines}。</translation>
    </message>
    <message>
        <source>No equation names {where}: it did not run, or ran before tracing, such as to make an argument, or Python or jax.numpy did all of it while tracing, such as a reshape to the shape that is there already, or the equation names another line of the same statement.</source>
        <translation>没有方程指明{where}：它没有运行，或在追踪之前就已运行（例如用于生成参数），或者 Python 或 jax.numpy 在追踪时完成了它的全部工作（例如重塑为已有的形状），或者方程指明的是同一语句的另一行。</translation>
    </message>
    <message>
        <source>No equation names {where}: what a rule of custom_vjp or custom_jvp computes, JAX may ascribe to the line that calls the function; or the line did not run, or ran before tracing.</source>
        <translation>没有方程指明{where}：custom_vjp 或 custom_jvp 的规则所计算的内容，JAX 可能归到调用该函数的那一行；或者这一行没有运行，或在追踪之前就已运行。</translation>
    </message>
    <message>
        <source>No equation of this program has only constants as operands.</source>
        <translation>这个程序没有操作数全是常量的方程。</translation>
    </message>
    <message>
        <source>No equation reads it.</source>
        <translation>没有方程读取它。</translation>
    </message>
    <message>
        <source>No equation that was run makes NaN or Inf of finite operands.</source>
        <translation>运行过的方程中，没有一个由有限的操作数产生 NaN 或 Inf。</translation>
    </message>
    <message>
        <source>No error is raised.</source>
        <translation>不会抛出错误。</translation>
    </message>
    <message>
        <source>No file was opened yet</source>
        <translation>还没有打开过文件</translation>
    </message>
    <message>
        <source>No folder is trusted yet. A Python file that is chosen in the window is shown first, and a bar asks before it runs: Trust this folder there adds its folder to this list.</source>
        <translation>还没有信任任何文件夹。在窗口中选择的 Python 文件会先显示出来，运行之前有一行询问：其中的“信任这个文件夹”会把它所在的文件夹加到这个列表。</translation>
    </message>
    <message>
        <source>No graph yet.</source>
        <translation>还没有图。</translation>
    </message>
    <message>
        <source>No instruction carries its name in this call of a function that several share.</source>
        <translation>几处共用的函数的这次调用中，没有指令带有它的名称。</translation>
    </message>
    <message>
        <source>No instruction that XLA received carries it.</source>
        <translation>XLA 收到的指令中没有带着它的。</translation>
    </message>
    <message>
        <source>No instruction that computes it carries its name.</source>
        <translation>计算它的指令都不带有它的名称。</translation>
    </message>
    <message>
        <source>No kernel whose work is known.</source>
        <translation>没有已知工作量的内核。</translation>
    </message>
    <message>
        <source>No layout pads: dimensions lie one after the other, without tiles to fill.</source>
        <translation>没有布局带来填充：各维依次排列，没有需要填满的分块。</translation>
    </message>
    <message>
        <source>No line of Python runs: JAX adds this by itself.</source>
        <translation>没有运行 Python 的任何一行：这是 JAX 自己加上的。</translation>
    </message>
    <message>
        <source>No longer bookmarked.</source>
        <translation>已取消书签。</translation>
    </message>
    <message>
        <source>No loop is</source>
        <translation>没有循环</translation>
    </message>
    <message>
        <source>No pass {why}.</source>
        <translation>没有{why}的 pass。</translation>
    </message>
    <message>
        <source>No policy keeps less than the gradient as written does.</source>
        <translation>没有哪种策略比原来写的梯度保留得更少。</translation>
    </message>
    <message>
        <source>No process can be started.</source>
        <translation>无法启动任何进程。</translation>
    </message>
    <message>
        <source>No single run was kept.</source>
        <translation>没有保留任何单次运行。</translation>
    </message>
    <message>
        <source>No stage of this call has a {form}.</source>
        <translation>这个调用没有任何阶段有 {form}。</translation>
    </message>
    <message>
        <source>No target is named.</source>
        <translation>没有指明目标。</translation>
    </message>
    <message>
        <source>No verdict on {first} and {second}: {why}</source>
        <translation>对 {first} 和 {second} 不下结论：{why}</translation>
    </message>
    <message>
        <source>No verdict: {why}.</source>
        <translation>不下结论：{why}。</translation>
    </message>
    <message>
        <source>No worker can be started: the system gives no more file descriptors.</source>
        <translation>无法启动工作进程：系统不再给出文件描述符。</translation>
    </message>
    <message>
        <source>No. The graphs are the same, box for box; the styles differ only for the reader of the code. The parameters of each module are in the argument list with their shapes. The children of `Compound` are the groups leaves_0, leaves_1 and leaves_2.</source>
        <translation>不会。两张图逐框相同；风格只对读代码的人有区别。每个模块的参数都在参数列表中，并带有形状。`Compound` 的子模块是组 leaves_0、leaves_1 和 leaves_2。</translation>
    </message>
    <message>
        <source>Nodes of the stage</source>
        <translation>阶段的节点</translation>
    </message>
    <message>
        <source>Noisy XOR, a small classifier, and the loop around it.</source>
        <translation>带噪声的异或，一个小分类器，以及围绕它的循环。</translation>
    </message>
    <message>
        <source>Noisy: calls of one form differ widely from one another.</source>
        <translation>有噪声：同一种形式的各次调用相差很大。</translation>
    </message>
    <message>
        <source>Noisy: {told}</source>
        <translation>有噪声：{told}</translation>
    </message>
    <message>
        <source>None of its arguments is a float.</source>
        <translation>它的参数都不是浮点数。</translation>
    </message>
    <message>
        <source>None of its results is a float.</source>
        <translation>它的结果都不是浮点数。</translation>
    </message>
    <message>
        <source>None of its {num_files:,} files is one.</source>
        <translation>它的 {num_files:,} 个文件中没有一个是。</translation>
    </message>
    <message>
        <source>None of the files that were opened holds the code of a kernel.</source>
        <translation>打开的文件中没有一个含有内核的代码。</translation>
    </message>
    <message>
        <source>None of {tried} restored the eager bits.</source>
        <translation>{tried}都没有恢复急切执行的位。</translation>
    </message>
    <message>
        <source>None: differentiating raises a ValueError, unless a custom rule is around it.</source>
        <translation>没有：求导会抛出 ValueError，除非外面有自定义规则。</translation>
    </message>
    <message>
        <source>None: it has no result.</source>
        <translation>没有：它没有结果。</translation>
    </message>
    <message>
        <source>None: the result is not a float.</source>
        <translation>没有：结果不是浮点数。</translation>
    </message>
    <message>
        <source>None: the tangent is zero, also from float to float.</source>
        <translation>没有：切向量为零，从浮点数到浮点数时也是如此。</translation>
    </message>
    <message>
        <source>Not all the work of {rows} is known: XLA counts that of no custom call, and a large program is counted for some seconds only.</source>
        <translation>{rows}的工作量并非全部已知：XLA 不对 custom call 计数，而且大的程序只计数几秒。</translation>
    </message>
    <message>
        <source>Not captured: of each function the first call alone is that makes NaN or Inf.</source>
        <translation>未捕获：每个函数只捕获首次产生 NaN 或 Inf 的那次调用。</translation>
    </message>
    <message>
        <source>Not captured: of each function the first call alone is.</source>
        <translation>未捕获：每个函数只捕获第一次调用。</translation>
    </message>
    <message>
        <source>Not compared: it is not known on {where}.</source>
        <translation>没有比较：{where}的值未知。</translation>
    </message>
    <message>
        <source>Not compared: the two were made on different machines.</source>
        <translation>没有比较：两者是在不同的机器上生成的。</translation>
    </message>
    <message>
        <source>Not compared: the two were measured on different devices.</source>
        <translation>没有比较：两者是在不同的设备上测量的。</translation>
    </message>
    <message>
        <source>Not compared: the two were measured on different machines.</source>
        <translation>没有比较：两者是在不同的机器上测量的。</translation>
    </message>
    <message>
        <source>Not compared: the {side} side was not measured.</source>
        <translation>没有比较：{side}程序没有测量。</translation>
    </message>
    <message>
        <source>Not compared: {name} was measured on one side only.</source>
        <translation>没有比较：只有一侧测量了 {name}。</translation>
    </message>
    <message>
        <source>Not compared: {why}</source>
        <translation>没有比较：{why}</translation>
    </message>
    <message>
        <source>Not decided which of {first} and {second} is faster: {why}</source>
        <translation>没有判定 {first} 和 {second} 哪个更快：{why}</translation>
    </message>
    <message>
        <source>Not exported: {error}</source>
        <translation>没有导出：{error}</translation>
    </message>
    <message>
        <source>Not kept.</source>
        <translation>没有保留。</translation>
    </message>
    <message>
        <source>Not known yet: the call has not been traced.</source>
        <translation>尚不知道：调用还没有被追踪。</translation>
    </message>
    <message>
        <source>Not known: JAX had traced it before, and kept the trace.</source>
        <translation>未知：JAX 之前已经追踪过它，并保留了追踪结果。</translation>
    </message>
    <message>
        <source>Not looked into: {names}.</source>
        <translation>没有查看其内部：{names}。</translation>
    </message>
    <message>
        <source>Not measured</source>
        <translation>没有测量</translation>
    </message>
    <message>
        <source>Not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>Not run: line {lineno}: {msg}.</source>
        <translation>没有运行：第 {lineno} 行：{msg}。</translation>
    </message>
    <message>
        <source>Not run: nothing of this file runs before you run its call.</source>
        <translation>没有运行：在您运行它的调用之前，这个文件的任何部分都不会运行。</translation>
    </message>
    <message>
        <source>Not run: {error}.</source>
        <translation>没有运行：{error}。</translation>
    </message>
    <message>
        <source>Not sent.</source>
        <translation>没有发送。</translation>
    </message>
    <message>
        <source>Not usable: every result of its size already lies in another argument's memory, or is laid out differently.</source>
        <translation>不可用：与它大小相同的每个结果都已放在另一个参数的内存中，或者布局不同。</translation>
    </message>
    <message>
        <source>Not usable: no result has its size, so none of them could take over {type}.</source>
        <translation>不可用：没有大小与它相同的结果，所以没有结果能接用 {type} 的内存。</translation>
    </message>
    <message>
        <source>Not usable: the program does not read it, so it was never handed over.</source>
        <translation>不可用：程序不读取它，所以从未交给程序。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Notes of the lesson</source>
        <translation>课程的讲稿</translation>
    </message>
    <message>
        <source>Nothing connects these two.</source>
        <translation>这两者之间没有连接。</translation>
    </message>
    <message>
        <source>Nothing could be compared.</source>
        <translation>没有可以比较的内容。</translation>
    </message>
    <message>
        <source>Nothing could be started by {machine}: it ended with status {status}.</source>
        <translation>无法通过 {machine} 启动任何程序：它以状态 {status} 结束。</translation>
    </message>
    <message>
        <source>Nothing could be started on {host}: ssh ended with status {status}.</source>
        <translation>在 {host} 上什么也无法启动：ssh 以状态 {status} 结束。</translation>
    </message>
    <message>
        <source>Nothing fits. Fewer letters find more.</source>
        <translation>没有匹配的命令。输入更少的字母能找到更多。</translation>
    </message>
    <message>
        <source>Nothing for the jaxpr: Python alone did this.</source>
        <translation>jaxpr 中没有它：这只是 Python 做的。</translation>
    </message>
    <message>
        <source>Nothing goes from {first} to {second}: one kernel for both would need several results, and saves at most reading a shared input again.</source>
        <translation>没有值从 {first} 传到 {second}：两者合成的一个内核需要有几个结果，至多省下把共用的输入再读一次。</translation>
    </message>
    <message>
        <source>Nothing has run yet. To show what JAX makes of a call, jaxscope runs the file, which then can do all that you can do. Do you trust it? A call that you run, by Enter or from the list of calls, counts as Run once.</source>
        <translation>还没有运行任何东西。为了显示 JAX 如何处理一个调用，jaxscope 要运行这个文件，而它可以做您能做的一切。您信任它吗？您按 Enter 或从调用列表中运行一个调用，也算作只运行一次。</translation>
    </message>
    <message>
        <source>Nothing here can compile for {target}.</source>
        <translation>这里没有能为 {target} 编译的编译器。</translation>
    </message>
    <message>
        <source>Nothing is around this equation.</source>
        <translation>这个方程的外围没有内容。</translation>
    </message>
    <message>
        <source>Nothing is bookmarked yet.</source>
        <translation>还没有加书签。</translation>
    </message>
    <message>
        <source>Nothing is bookmarked.</source>
        <translation>没有书签。</translation>
    </message>
    <message>
        <source>Nothing is different: name what the second program is made with.</source>
        <translation>没有任何不同：请说明第二个程序用什么生成。</translation>
    </message>
    <message>
        <source>Nothing matches {wanted}.</source>
        <translation>没有内容匹配 {wanted}。</translation>
    </message>
    <message>
        <source>Nothing of this {operation} is needed in {transform}.</source>
        <translation>这个 {operation} 的任何内容在 {transform} 中都不需要。</translation>
    </message>
    <message>
        <source>Nothing of {stage} is selected.</source>
        <translation>没有选中 {stage} 中的内容。</translation>
    </message>
    <message>
        <source>Nothing so far.</source>
        <translation>目前没有。</translation>
    </message>
    <message>
        <source>Nothing tells what became of it in the call by equation {id}.</source>
        <translation>没有什么能说明它在方程 {id} 的调用中变成了什么。</translation>
    </message>
    <message>
        <source>Nothing that is kept needs its result, so it was removed.</source>
        <translation>保留下来的部分都不需要它的结果，所以被删除了。</translation>
    </message>
    <message>
        <source>Nothing that is kept needs its result.</source>
        <translation>保留下来的部分都不需要它的结果。</translation>
    </message>
    <message>
        <source>Nothing that it defines can be called.</source>
        <translation>它定义的东西都不能调用。</translation>
    </message>
    <message>
        <source>Nothing to report on this call.</source>
        <translation>这个调用没有什么要报告的。</translation>
    </message>
    <message>
        <source>Nothing uses the random key {told} that is made here: what was to be drawn from it is drawn from another one, or it is one too many.</source>
        <translation>没有谁使用在这里生成的随机密钥 {told}：本来要从它抽取的内容是从另一个密钥抽取的，或者多生成了一个密钥。</translation>
    </message>
    <message>
        <source>Nothing uses the result of {name}, in which it is.</source>
        <translation>它处在 {name} 之中，而后者的结果没有被使用。</translation>
    </message>
    <message>
        <source>Nothing was noticed before the run {ended}{why}</source>
        <translation>在运行{ended}之前没有注意到任何问题{why}</translation>
    </message>
    <message>
        <source>Nothing was printed.</source>
        <translation>没有打印任何内容。</translation>
    </message>
    <message>
        <source>Nothing was selected before.</source>
        <translation>之前没有选择过任何东西。</translation>
    </message>
    <message>
        <source>Now in the {word} {shown}</source>
        <translation>现在位于{word} {shown}</translation>
    </message>
    <message>
        <source>Now, in Python: {effects}; the compiled program does not do it.</source>
        <translation>现在由 Python 做：{effects}；编译后的程序不会做。</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Of a condition's branches one runs: from the cheapest to the dearest.</source>
        <translation>条件的各分支只运行一个：从开销最小的到最大的。</translation>
    </message>
    <message>
        <source>Of a condition's branches the dearest counts.</source>
        <translation>条件的各分支中，按开销最大的计。</translation>
    </message>
    <message>
        <source>Of a condition's branches, work and traffic count the dearest.</source>
        <translation>条件的各分支中，工作量和流量按开销最大的计。</translation>
    </message>
    <message>
        <source>Of a factor: the middle of those of calls that were measured side by side. The two times beside it, of all calls, need not divide to it.</source>
        <translation>指倍数：并排测量的调用的倍数的中位数。旁边的两个时间是全部调用的，相除不一定等于它。</translation>
    </message>
    <message>
        <source>Of a fate: XLA's recorded passes, or its first and last program, show it.</source>
        <translation>就去向而言：XLA 所记录的 pass，或者它最初和最后的程序，表明了这一点。</translation>
    </message>
    <message>
        <source>Of a fate: it follows from what stands around the equation.</source>
        <translation>就去向而言：由方程周围的内容得出。</translation>
    </message>
    <message>
        <source>Of a figure: what a loop does is counted for one round.</source>
        <translation>就数字而言：循环所做的只按一轮计算。</translation>
    </message>
    <message>
        <source>Of a known length: `jax.lax.dynamic_slice_in_dim(x, start, length)`. Else keep the whole array and hide the rest: `jnp.where(jnp.arange(len(x)) &lt; n, x, 0)`; or make the argument static: `jit(f, static_argnames=…)`.</source>
        <translation>若长度已知：`jax.lax.dynamic_slice_in_dim(x, start, length)`。否则保留整个数组并遮去其余部分：`jnp.where(jnp.arange(len(x)) &lt; n, x, 0)`；或把该参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Of a time: the machine was busy, or the calls differed widely.</source>
        <translation>就时间而言：机器很忙，或者各次调用相差很大。</translation>
    </message>
    <message>
        <source>Of an argument: its memory may be used for a result.</source>
        <translation>就参数而言：它的内存可以用来放结果。</translation>
    </message>
    <message>
        <source>Of an argument: known while tracing, so that it becomes part of the program.</source>
        <translation>就参数而言：在追踪时已知，所以成为程序的一部分。</translation>
    </message>
    <message>
        <source>Of an axis of devices: in `shard_map`, where the code says what each device along it does.</source>
        <translation>就设备的一个轴而言：在 `shard_map` 中，代码自己说明沿这个轴的每个设备做什么。</translation>
    </message>
    <message>
        <source>Of an earlier run: {failed_over}</source>
        <translation>来自更早的一次运行：{failed_over}</translation>
    </message>
    <message>
        <source>Of an earlier run: {old_call}</source>
        <translation>来自更早的一次运行：{old_call}</translation>
    </message>
    <message>
        <source>Of an operand of which a fusion reads parts, the fusion's own bytes are those of the parts, at most all of it. XLA, whose counts are in the sum, counts otherwise for {fusions}: {name} reads and writes {own}, by XLA {xla}.</source>
        <translation>融合只读取某个操作数的一部分时，融合自己的字节数按这些部分计，最多计到整个操作数。总和采用 XLA 的计数；对 {fusions}，XLA 的计法不同：{name} 读写 {own}，按 XLA 计为 {xla}。</translation>
    </message>
    <message>
        <source>Of equal elements the first is taken; NaN counts as the largest.</source>
        <translation>元素相等时取第一个；NaN 算作最大的。</translation>
    </message>
    <message>
        <source>Of equal elements the first is taken; NaN counts as the smallest.</source>
        <translation>元素相等时取第一个；NaN 算作最小的。</translation>
    </message>
    <message>
        <source>Of some it is not known whether it fits.</source>
        <translation>其中有些不知道是否装得下。</translation>
    </message>
    <message>
        <source>Of the branches of a cond or a switch one runs. Each counts as if it ran, so that all shares add up to more than 100 %. The whole is that with the dearest branches.</source>
        <translation>cond 或 switch 的分支只运行一个。这里每个分支都按它会运行来计，所以各行占比之和超过 100%。整体按最贵的分支计。</translation>
    </message>
    <message>
        <source>Of the stage {title}</source>
        <translation>关于阶段 {title}</translation>
    </message>
    <message>
        <source>Of what that Inf comes from, {id} ({operation}) was the first to make Inf: {because}</source>
        <translation>在这个 Inf 的来源中，最先产生 Inf 的是 {id}（{operation}）：{because}</translation>
    </message>
    <message>
        <source>Of what that Inf comes from, {told} is the first to make Inf: {count}.</source>
        <translation>在这个 Inf 的来源中，最先产生 Inf 的是 {told}：{count}。</translation>
    </message>
    <message>
        <source>Of {about} ({operation}): {text}</source>
        <translation>就 {about}（{operation}）而言：{text}</translation>
    </message>
    <message>
        <source>Off: both sides plain, beside each other</source>
        <translation>关闭时：两边不加标记，并排显示</translation>
    </message>
    <message>
        <source>On a CPU it runs only with `interpret=True`; without it a ValueError is raised.</source>
        <translation>在 CPU 上只能用 `interpret=True` 运行；否则会抛出 ValueError。</translation>
    </message>
    <message>
        <source>On other devices, of this stage</source>
        <translation>在其他设备上，关于这个阶段</translation>
    </message>
    <message>
        <source>On the whole screen: back, equation by equation</source>
        <translation>全屏时：逐个方程后退</translation>
    </message>
    <message>
        <source>On the whole screen: dim all but what is selected, or nothing</source>
        <translation>全屏时：调暗所选内容以外的一切，或不调暗</translation>
    </message>
    <message>
        <source>On the whole screen: on with the lesson, without the equations of its call</source>
        <translation>全屏时：继续课程，不看其调用的方程</translation>
    </message>
    <message>
        <source>On the whole screen: on, equation by equation</source>
        <translation>全屏时：逐个方程前进</translation>
    </message>
    <message>
        <source>On the {side} side: {note}</source>
        <translation>{side}程序：{note}</translation>
    </message>
    <message>
        <source>On this target products of float32 arrays run with their operands rounded to {name}, which keeps {digits} of 24 binary digits: that is what JAX documents of its default precision. The program has {num:,} for which no other was asked for; the costliest is this one, {work} FLOP. A CPU does not round them, so its results differ.</source>
        <translation>在这个目标上，float32 数组的乘积先把操作数舍入到 {name}，只保留 24 个二进制位中的 {digits} 位：JAX 的文档这样说明它的默认精度。程序中有 {num:,} 个乘积没有要求别的精度；代价最大的是这一个，{work} FLOP。CPU 不做这种舍入，所以结果不同。</translation>
    </message>
    <message>
        <source>On which devices does it run, who holds what, and what do they tell each other?</source>
        <translation>它在哪些设备上运行，谁持有什么，它们之间传递什么？</translation>
    </message>
    <message>
        <source>Once the call has run, it can be stepped through.</source>
        <translation>调用运行之后，就可以逐步执行它。</translation>
    </message>
    <message>
        <source>Once when tracing, or each time it runs.</source>
        <translation>追踪时一次，还是每次运行都打印。</translation>
    </message>
    <message>
        <source>Once, by XLA; no persistent compilation cache is in use.</source>
        <translation>一次，由 XLA 完成；没有使用持久的编译缓存。</translation>
    </message>
    <message>
        <source>Once, from jaxpr to StableHLO.</source>
        <translation>一次，从 jaxpr 到 StableHLO。</translation>
    </message>
    <message>
        <source>Once, with JAX's caches emptied.</source>
        <translation>一次，JAX 的缓存已清空。</translation>
    </message>
    <message>
        <source>Once: JAX's own start. A throw-away function was traced, lowered and compiled, so that what JAX does in a process only the first time is no part of the rows that follow.</source>
        <translation>一次：JAX 自身的启动。先追踪、lower 并编译一个用完即弃的函数，使 JAX 在一个进程中只做一次的工作不计入以下各行。</translation>
    </message>
    <message>
        <source>Once: the file itself, and the start of JAX's backend.</source>
        <translation>一次：文件本身，以及 JAX 后端的启动。</translation>
    </message>
    <message>
        <source>Once; not in the persistent compilation cache.</source>
        <translation>一次；不在持久的编译缓存中。</translation>
    </message>
    <message>
        <source>Once; read from the persistent compilation cache, so nothing was compiled.</source>
        <translation>一次；从持久的编译缓存中读取，所以没有编译。</translation>
    </message>
    <message>
        <source>One `pallas_call` equation with the kernel's own jaxpr inside, where reading and writing are equations, too: `get` and `swap`. Its grid says that it runs four times, once for each block of 32 rows. On a CPU the kernel is interpreted, which becomes a loop over the grid in the optimized module; for a TPU, compiled ahead of time, it stays one custom call. `jaxscope figure pallas samples/pallas_kernel.py 'product(f32[64, 64], f32[64, 64])' -o blocks.svg` draws which block of each array every step of the grid takes.</source>
        <translation>一个 `pallas_call` 方程，内核自己的 jaxpr 在其中，读和写在那里也是方程：`get` 和 `swap`。它的网格表明它运行四次，每 32 行的块一次。在 CPU 上内核是解释执行的，在优化后的模块中变成对网格的循环；为 TPU 提前编译时，它仍是一个自定义调用。 `jaxscope figure pallas samples/pallas_kernel.py 'product(f32[64, 64], f32[64, 64])' -o blocks.svg` 画出网格的每一步取每个数组的哪一块。</translation>
    </message>
    <message>
        <source>One after the other was lost.</source>
        <translation>一个接一个地丢失了。</translation>
    </message>
    <message>
        <source>One by one: as if every equation of the program after its transforms were launched as a kernel, those of calls and loops too, those of a loop once per round; each reads its operands and writes its results. Equations that only say something of a value, such as pvary, are none. That is no eager run: there JAX runs a loop or a jitted function as one program.</source>
        <translation>逐个运行：好像程序经过变换后的每个方程都作为一个内核启动，包括调用和循环里的方程，循环里的每轮启动一次；每个都读取操作数并写出结果。只对值作说明的方程（例如 pvary）不算。这不是急切执行：那时 JAX 把一个循环或一个 jit 函数作为一个程序运行。</translation>
    </message>
    <message>
        <source>One call in ten took more than {value} times the median.</source>
        <translation>十次调用中有一次用时超过中位数的 {value} 倍。</translation>
    </message>
    <message>
        <source>One equation back (Shift+F8)</source>
        <translation>后退一个方程（Shift+F8）</translation>
    </message>
    <message>
        <source>One equation on, over what is inside (F8)</source>
        <translation>前进一个方程，越过其内部（F8）</translation>
    </message>
    <message>
        <source>One form of the program on its way from source to machine code.</source>
        <translation>程序从源代码到机器码途中的一种形式。</translation>
    </message>
    <message>
        <source>One instruction of an HLO module. The number in its name may be another in a run without jaxscope.</source>
        <translation>HLO 模块的一条指令。不用 jaxscope 运行时，名称中的编号可能不同。</translation>
    </message>
    <message>
        <source>One kernel</source>
        <translation>一个内核</translation>
    </message>
    <message>
        <source>One key, one use.</source>
        <translation>一个密钥，用一次。</translation>
    </message>
    <message>
        <source>One layer. The layers are groups of the same structure, drawn once with ×12 and opened on demand. The gradient holds more than twice as many equations, forward and backward in different colours; what crosses from one to the other are the residuals, and most of the memory. `scanned_loss` writes the same model with `lax.scan`: its jaxpr holds one layer by construction, and it compiles faster.</source>
        <translation>一层。各层是结构相同的组，只画一次并标上 ×12，需要时再展开。梯度的方程多出一倍以上，前向和反向颜色不同；从一边到另一边的是残差，也占了大部分内存。`scanned_loss` 用 `lax.scan` 写同一个模型：它的 jaxpr 天生只有一层，编译也更快。</translation>
    </message>
    <message>
        <source>One line back (Shift+F8)</source>
        <translation>后退一行（Shift+F8）</translation>
    </message>
    <message>
        <source>One line of a jaxpr: a primitive, its operands and what it gives.</source>
        <translation>jaxpr 的一行：一个原语、它的操作数和它给出的结果。</translation>
    </message>
    <message>
        <source>One line on, also of functions that are called (F8)</source>
        <translation>前进一行，被调用的函数中的行也算（F8）</translation>
    </message>
    <message>
        <source>One loop is</source>
        <translation>有一个循环</translation>
    </message>
    <message>
        <source>One minus the error function of every element.</source>
        <translation>一减去每个元素的误差函数值。</translation>
    </message>
    <message>
        <source>One operation of a StableHLO module.</source>
        <translation>StableHLO 模块的一个运算。</translation>
    </message>
    <message>
        <source>One operation on an element, by XLA's rules: on integers too, and a comparison, a choice by `select` or a conversion to another type counts as much as an addition.</source>
        <translation>按 XLA 的规则，对一个元素做的一次运算：整数也算，比较、用 `select` 选择、转换成另一种类型都与一次加法算得一样多。</translation>
    </message>
    <message>
        <source>One over the square root of every element.</source>
        <translation>每个元素平方根的倒数。</translation>
    </message>
    <message>
        <source>One program, its data in pieces.</source>
        <translation>一个程序，数据分成小块。</translation>
    </message>
    <message>
        <source>One run</source>
        <translation>一次运行</translation>
    </message>
    <message>
        <source>One run by itself is not taken from the profile of a job.</source>
        <translation>单独一次运行不会取自作业的性能剖析。</translation>
    </message>
    <message>
        <source>One runs on {ours}, the other on {theirs}: the costs are of one device's part each.</source>
        <translation>一个在 {ours}上运行，另一个在 {theirs}上运行：开销各是一个设备的那一部分。</translation>
    </message>
    <message>
        <source>One side has no such stage.</source>
        <translation>有一侧没有这个阶段。</translation>
    </message>
    <message>
        <source>One stage of the program, or the source, as graph, text, table or tree.</source>
        <translation>程序的一个阶段或源代码，以图、文本、表格或树显示。</translation>
    </message>
    <message>
        <source>One step of XLA's optimizer.</source>
        <translation>XLA 优化器的一步。</translation>
    </message>
    <message>
        <source>One. Comparison, exponential, multiplications and the selection sit in a single fusion. The parameter names λ and α are the same in the source, the jaxpr, the graph and every export.</source>
        <translation>一遍。比较、指数、乘法和选择都在同一个融合里。参数名 λ 和 α 在源代码、jaxpr、图和每种导出中都相同。</translation>
    </message>
    <message>
        <source>Only Python modules beside the file are sent to {host}: put data files there, and name them by their path there.</source>
        <translation>只有文件旁边的 Python 模块会发送到 {host}：请把数据文件放到那里，并用那里的路径指明。</translation>
    </message>
    <message>
        <source>Only a call without transforms has its gradient besides: add grad to this one.</source>
        <translation>只有不带变换的调用才另有梯度：请给此调用加上 grad。</translation>
    </message>
    <message>
        <source>Only one form was measured, so there is nothing to cross.</source>
        <translation>只测量了一种方式，所以没有交叉。</translation>
    </message>
    <message>
        <source>Only one side has this stage: the {side} call makes no {name}.</source>
        <translation>只有一侧有这个阶段：{side}调用不产生 {name}。</translation>
    </message>
    <message>
        <source>Only rows whose cell contains this. -text: that do not; /text/: a regular expression; numbers compare: &gt;1M, &lt;10us.</source>
        <translation>只显示单元格含有此内容的行。-文本：不含的；/文本/：正则表达式；数值可比较：&gt;1M, &lt;10us。</translation>
    </message>
    <message>
        <source>Only the first {max_files:,} files were looked at.</source>
        <translation>只查看了前 {max_files:,} 个文件。</translation>
    </message>
    <message>
        <source>Only the first {max_passes} passes were recorded.</source>
        <translation>只记录了前 {max_passes} 个 pass。</translation>
    </message>
    <message>
        <source>Only the first {number} passes were read: there are {total}.</source>
        <translation>只读取了前 {number} 个 pass：共有 {total} 个。</translation>
    </message>
    <message>
        <source>Only the way in which data lies in memory is left of it.</source>
        <translation>它只剩下数据在内存中的摆放方式。</translation>
    </message>
    <message>
        <source>Only those that touched what is selected</source>
        <translation>只看触及所选内容的</translation>
    </message>
    <message>
        <source>Only {max_looked_at:,} files with names of no kind were looked at.</source>
        <translation>名称不属于任何类型的文件只查看了 {max_looked_at:,} 个。</translation>
    </message>
    <message>
        <source>Only {names} has its name, which joins the halves of its result; what computes them has none.</source>
        <translation>只有 {names} 带有它的名称，那只是把结果的两半合在一起；计算它们的指令没有名称。</translation>
    </message>
    <message>
        <source>Opcodes of HLO</source>
        <translation>HLO 的操作码</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open a Python file (Ctrl+O).</source>
        <translation>请打开一个 Python 文件（Ctrl+O）。</translation>
    </message>
    <message>
        <source>Open a Python file, choose a function, and follow it from its source through every stage to the program that runs. The file needs no changes.</source>
        <translation>打开一个 Python 文件，选择一个函数，从源代码开始，经过每个阶段，一直跟到实际运行的程序。文件不需要任何改动。</translation>
    </message>
    <message>
        <source>Open a file to see its source.</source>
        <translation>打开一个文件，查看它的源代码。</translation>
    </message>
    <message>
        <source>Open a file …</source>
        <translation>打开文件 …</translation>
    </message>
    <message>
        <source>Open a folder of dumps</source>
        <translation>打开转储文件夹</translation>
    </message>
    <message>
        <source>Open a folder of dumps …</source>
        <translation>打开转储文件夹 …</translation>
    </message>
    <message>
        <source>Open a module</source>
        <translation>打开一个模块</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>展开所有组</translation>
    </message>
    <message>
        <source>Open another view</source>
        <translation>打开另一个视图</translation>
    </message>
    <message>
        <source>Open as many as can be read</source>
        <translation>展开看得清的组</translation>
    </message>
    <message>
        <source>Open capture</source>
        <translation>打开捕获</translation>
    </message>
    <message>
        <source>Open group.</source>
        <translation>展开的组。</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>打开它</translation>
    </message>
    <message>
        <source>Open it with an interpreter that has JAX: --python, in the window Run, Choose the interpreter.</source>
        <translation>请用装有 JAX 的解释器打开它：--python，在窗口中是“运行”里的“选择解释器”。</translation>
    </message>
    <message>
        <source>Open its Python file and run it.</source>
        <translation>请打开它的 Python 文件并运行。</translation>
    </message>
    <message>
        <source>Open its gradient</source>
        <translation>打开它的梯度</translation>
    </message>
    <message>
        <source>Open its gradient. The forward pass keeps one array as long as `x`, which a new `mul` makes: 2 (x + 2). There are nine equations on JAX 0.10.2. The square, `add` 3, `reduce_sum` and the `div` whose result is named `_` only make the mean, which the gradient never needs: XLA removes them. What is left sits in one fusion, as do the five equations of the value: one launch each. On the timing page, measure the call on 1,000 numbers eagerly and jitted, for the value and for the gradient: the ratio is your own machine's, not a number from a lecture.</source>
        <translation>打开它的梯度。前向过程保留一个与 `x` 一样长的数组，由一个新的 `mul` 算出：2 (x + 2)。在 JAX 0.10.2 上，梯度有九个方程。平方、`add` 3、`reduce_sum` 以及结果名为 `_` 的 `div` 只用于算出平均值，而梯度从不需要它：XLA 会把它们删去。剩下的都在一个融合里，函数值的五个方程也是如此：各启动一次。在计时页上，用 1,000 个数分别急切执行和用 jit 测量这个调用，既测函数值，也测梯度：得到的比值属于你自己的机器，而不是讲义上的一个数。</translation>
    </message>
    <message>
        <source>Open one Python file, or several files that a job left behind.</source>
        <translation>请打开一个 Python 文件，或打开一个作业留下的几个文件。</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>最近打开的文件</translation>
    </message>
    <message>
        <source>Open sample: {name}</source>
        <translation>打开示例：{name}</translation>
    </message>
    <message>
        <source>Open the .xplane.pb that the profiler wrote beside it.</source>
        <translation>请打开剖析器写在它旁边的 .xplane.pb。</translation>
    </message>
    <message>
        <source>Open the Python file that the program was made from, and run the call.</source>
        <translation>请打开生成这个程序的 Python 文件，并运行调用。</translation>
    </message>
    <message>
        <source>Open the Python file, or compare with another saved capture.</source>
        <translation>请打开 Python 文件，或与另一个已保存的捕获比较。</translation>
    </message>
    <message>
        <source>Open the dump folder of the same run beside it. What the profile measured is listed by: jaxscope open PROFILE</source>
        <translation>请同时打开同一次运行的转储文件夹。性能剖析测得的内容可以列出：jaxscope open PROFILE</translation>
    </message>
    <message>
        <source>Open the profile of a job that ran this program (the folder that jax.profiler.trace wrote, or its xplane.pb) to see what each instruction and line took there.</source>
        <translation>打开运行过这个程序的作业的分析结果（jax.profiler.trace 写出的文件夹，或其中的 xplane.pb），查看每条指令和每一行在那里用了多久。</translation>
    </message>
    <message>
        <source>Open what is open at first</source>
        <translation>恢复最初展开的组</translation>
    </message>
    <message>
        <source>Open …</source>
        <translation>打开 …</translation>
    </message>
    <message>
        <source>Opening {paths} …</source>
        <translation>正在打开 {paths} …</translation>
    </message>
    <message>
        <source>Operands have the shape of the result, or size one where it is larger, or are single numbers.</source>
        <translation>操作数的形状与结果相同，或者在结果较大处大小为一，或者是单个数。</translation>
    </message>
    <message>
        <source>Optimized: every instruction that something runs for is a kernel (no parameter, constant, tuple or bitcast) and is launched once, those of a loop once per round; bytes are read and written as XLA counts them: for a gather in a fusion, or a slice of a reshaped operand there, the whole operand; where a fusion replaces a part of what it computes, that part alone.</source>
        <translation>优化后：每条需要运行的指令是一个内核（参数、常量、tuple 和 bitcast 不算），启动一次，循环里的每轮启动一次；读写的字节按 XLA 的计数：融合内的 gather 或对改变形状后的操作数所取的切片，按整个操作数计；融合替换它自己算出的值的一部分时，只计这一部分。</translation>
    </message>
    <message>
        <source>Optimizing turned {flops} into {flops_after}, and {moved} read and written into {moved_after}.</source>
        <translation>优化把 {flops} 变成 {flops_after}，把读写的 {moved} 变成 {moved_after}。</translation>
    </message>
    <message>
        <source>Options come and go with releases of jaxlib; names begin with xla_, and values are written as OPTION=VALUE, such as xla_disable_hlo_passes=algsimp.</source>
        <translation>选项随 jaxlib 的版本增减；名称以 xla_ 开头，值写作 OPTION=VALUE，如 xla_disable_hlo_passes=algsimp。</translation>
    </message>
    <message>
        <source>Options of XLA of the other side</source>
        <translation>另一方的 XLA 选项</translation>
    </message>
    <message>
        <source>Options of XLA of the second</source>
        <translation>第二个的 XLA 选项</translation>
    </message>
    <message>
        <source>Or another call: {calls}</source>
        <translation>或者另一个调用：{calls}</translation>
    </message>
    <message>
        <source>Or run the file as a script, and see what it compiles with its own arguments: {command}</source>
        <translation>或者把文件作为脚本运行，查看它用自己的参数编译了什么：{command}</translation>
    </message>
    <message>
        <source>Ordinary type</source>
        <translation>默认字体大小</translation>
    </message>
    <message>
        <source>Other runs, without recording, took {plain_wall} each.</source>
        <translation>未作记录的其他运行每次用时 {plain_wall}。</translation>
    </message>
    <message>
        <source>Out ▲</source>
        <translation>退出 ▲</translation>
    </message>
    <message>
        <source>Outline of the graph</source>
        <translation>图的大纲</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Output of your code</source>
        <translation>您的代码的输出</translation>
    </message>
    <message>
        <source>Overview of the graph</source>
        <translation>图的概览</translation>
    </message>
    <message>
        <source>Overview of what is out of sight</source>
        <translation>视野之外部分的缩略图</translation>
    </message>
    <message>
        <source>Pad it to buckets such as {buckets} and mask the rest: {programs} instead of {count}.</source>
        <translation>把它填充到 {buckets} 这样的档位，并用掩码遮住其余部分：是 {programs}，而不是 {count} 个。</translation>
    </message>
    <message>
        <source>Pad it to {size} and mask the rest: one program instead of {count}.</source>
        <translation>把它填充到 {size}，并用掩码遮住其余部分：是一个程序，而不是 {count} 个。</translation>
    </message>
    <message>
        <source>Page below the views</source>
        <translation>视图下方的页面</translation>
    </message>
    <message>
        <source>Page with linked stages</source>
        <translation>阶段相互关联的网页</translation>
    </message>
    <message>
        <source>Pages about the program, below its views</source>
        <translation>程序的各页，在视图下方</translation>
    </message>
    <message>
        <source>Pages ▾</source>
        <translation>页面 ▾</translation>
    </message>
    <message>
        <source>Pallas, interpreted on the CPU.</source>
        <translation>Pallas，在 CPU 上解释执行。</translation>
    </message>
    <message>
        <source>Parameters in any shape that suits you.</source>
        <translation>参数可以是任何适合你的形式。</translation>
    </message>
    <message>
        <source>Part {number} of {num_parts}</source>
        <translation>第 {number} / {num_parts} 部分</translation>
    </message>
    <message>
        <source>Partial: the {count} calls of the warm-up, one after another and before it need be steady; no pairs were timed after it.</source>
        <translation>部分：预热的 {count} 次调用，一次接一次，当时还不一定稳定；之后没有成对计时。</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>各部分</translation>
    </message>
    <message>
        <source>Parts of a program</source>
        <translation>程序的组成部分</translation>
    </message>
    <message>
        <source>Parts of the chosen array</source>
        <translation>所选数组的各部分</translation>
    </message>
    <message>
        <source>Pass a tuple instead of a list, or a frozen dataclass.</source>
        <translation>请传入元组而不是列表，或者传入冻结的 dataclass。</translation>
    </message>
    <message>
        <source>Pass an array, and give at least one argument an axis in `in_axes`.</source>
        <translation>传入数组，并在 `in_axes` 中至少给一个参数写上轴。</translation>
    </message>
    <message>
        <source>Pass an array, such as f32[8, 2], or a value of the file: {values}.</source>
        <translation>请传入一个数组，例如 f32[8, 2]，或者文件中的一个值：{values}。</translation>
    </message>
    <message>
        <source>Pass an array, such as f32[8, 2].</source>
        <translation>请传入一个数组，例如 f32[8, 2]。</translation>
    </message>
    <message>
        <source>Pass arrays and numbers. Where it is to be differentiated, `argnums` names other arguments, and `equinox.filter_grad` leaves out what is no array.</source>
        <translation>请传入数组和数。要求导时，`argnums` 可以指定其他参数，`equinox.filter_grad` 会略去不是数组的内容。</translation>
    </message>
    <message>
        <source>Pass floats (`f32[…]`, `1.0`), or choose other arguments with `argnums=`.</source>
        <translation>请传入浮点数（`f32[…]`、`1.0`），或者用 `argnums=` 选择其他参数。</translation>
    </message>
    <message>
        <source>Pass it as an argument, so that a new value needs no new trace.</source>
        <translation>把它作为参数传入，这样换了值也不用重新追踪。</translation>
    </message>
    <message>
        <source>Pass it as an argument: `(lambda model, x: model(x))(model, f32[8])`.</source>
        <translation>请把它作为参数传入：`(lambda model, x: model(x))(model, f32[8])`。</translation>
    </message>
    <message>
        <source>Pass what changes as an argument.</source>
        <translation>请把会变化的东西作为参数传入。</translation>
    </message>
    <message>
        <source>Pass what changes as an argument; take random numbers from jax.random.</source>
        <translation>请把会变化的内容作为参数传入；随机数请用 jax.random 生成。</translation>
    </message>
    <message>
        <source>Pass what is large as an argument, or keep it from being a constant.</source>
        <translation>请把大的数组作为参数传入，或避免让它成为常量。</translation>
    </message>
    <message>
        <source>Passed over: {paths}: {reason}.</source>
        <translation>跳过：{paths}：{reason}。</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Pass</translation>
    </message>
    <message>
        <source>Passes a value on but lets no gradient back.</source>
        <translation>把值传下去，但不让梯度传回来。</translation>
    </message>
    <message>
        <source>Passes could not be recorded: {why}</source>
        <translation>无法记录各个 pass：{why}</translation>
    </message>
    <message>
        <source>Passes in their order</source>
        <translation>按顺序排列的 pass</translation>
    </message>
    <message>
        <source>Passes or text with …</source>
        <translation>pass 名或文本含有 …</translation>
    </message>
    <message>
        <source>Paste code</source>
        <translation>粘贴代码</translation>
    </message>
    <message>
        <source>Paste code …</source>
        <translation>粘贴代码 …</translation>
    </message>
    <message>
        <source>Path from the selection before to this one</source>
        <translation>从之前的选择到现在所选的路径</translation>
    </message>
    <message>
        <source>Path of another Python that has JAX</source>
        <translation>另一个装有 JAX 的 Python 的路径</translation>
    </message>
    <message>
        <source>Peak memory is that of XLA's own order where it has fixed one. Before, nobody knows what will live when: a figure with ~ is an estimate, of the module run instruction by instruction in program order, before scheduling. The two do not compare: over the samples the estimate of the module that XLA then schedules is the same in four of five programs on the CPU, and a third to 1.2 times the scheduled figure in the others. Copies that XLA puts in late, for the state of loops, count from copy-insertion on.</source>
        <translation>XLA 已经固定次序时，峰值是按 XLA 自己的次序的。在那之前，没有人知道什么会在何时存活：带 ~ 的数字是估计值，假定模块在调度之前按程序次序逐条指令运行。两者不能相比：在各个示例中，对于 XLA 随后调度的模块，CPU 上五个程序中有四个估计值相同，其余的是调度后数字的三分之一到 1.2 倍。XLA 较晚为循环的状态加入的复制，从 copy-insertion 起才计入。</translation>
    </message>
    <message>
        <source>Peak memory: {reason}</source>
        <translation>内存峰值：{reason}</translation>
    </message>
    <message>
        <source>Peak of the memory{share}: {page}.</source>
        <translation>内存的峰值{share}：{page}。</translation>
    </message>
    <message>
        <source>Peaks are the best of {num:,} and {other:,} runs</source>
        <translation>峰值取自 {num:,} 次和 {other:,} 次运行中最快的一次</translation>
    </message>
    <message>
        <source>Peaks without sparsity{share}, in {told}.</source>
        <translation>不含稀疏的峰值{share}，{told}。</translation>
    </message>
    <message>
        <source>Permutes the dimensions.</source>
        <translation>重新排列维度。</translation>
    </message>
    <message>
        <source>Picks elements or blocks at many index positions.</source>
        <translation>在许多下标位置上取出元素或块。</translation>
    </message>
    <message>
        <source>Picks elements or blocks at many index positions; `x[indices]` becomes this.</source>
        <translation>在许多下标位置上取出元素或块；`x[indices]` 会变成它。</translation>
    </message>
    <message>
        <source>Picks every element from one of several arrays, by a condition. `jnp.where` becomes this, and so does `lax.cond` under vmap: then both branches are computed.</source>
        <translation>按条件从几个数组之一取每个元素。`jnp.where` 会变成它，vmap 下的 `lax.cond` 也是：这时两个分支都会计算。</translation>
    </message>
    <message>
        <source>Picks every element from one of two arrays, by a condition.</source>
        <translation>按条件从两个数组之一取每个元素。</translation>
    </message>
    <message>
        <source>Picture (*.svg *.png);;Table (*.csv);;Data (*.json)</source>
        <translation>图片 (*.svg *.png);;表格 (*.csv);;数据 (*.json)</translation>
    </message>
    <message>
        <source>Picture and histogram show the magnitude.</source>
        <translation>图片和直方图显示的是模。</translation>
    </message>
    <message>
        <source>Picture of the array</source>
        <translation>数组的图像</translation>
    </message>
    <message>
        <source>Picture of the graph</source>
        <translation>图的图片</translation>
    </message>
    <message>
        <source>Picture of the graph, scalable</source>
        <translation>图的图片，可缩放</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>放置</translation>
    </message>
    <message>
        <source>Places an array on a device or shards it.</source>
        <translation>把数组放到一个设备上，或者分片到多个设备。</translation>
    </message>
    <message>
        <source>Places are those of the first process.</source>
        <translation>位置是第一个进程的。</translation>
    </message>
    <message>
        <source>Please report it, with the details below.</source>
        <translation>请报告它，并附上下面的详细信息。</translation>
    </message>
    <message>
        <source>Point at a mark to read its value.</source>
        <translation>指向一个标记以读出它的值。</translation>
    </message>
    <message>
        <source>Point at the picture to read its values.</source>
        <translation>指向图片以读出其中的值。</translation>
    </message>
    <message>
        <source>Policies of jax.checkpoint for {subject}.</source>
        <translation>用于 {subject} 的 jax.checkpoint 策略。</translation>
    </message>
    <message>
        <source>Positions count from 0, and only arguments without a keyword have one.</source>
        <translation>位置从 0 数起，只有不用关键字传入的参数才有位置。</translation>
    </message>
    <message>
        <source>Precision of the second</source>
        <translation>第二个的精度</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Present on the whole screen</source>
        <translation>只看视图，全屏</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Previous view</source>
        <translation>上一个视图</translation>
    </message>
    <message>
        <source>Primitives of jaxprs</source>
        <translation>jaxpr 的原语</translation>
    </message>
    <message>
        <source>Print every so often: jax.lax.cond(i % 100 == 0, lambda: jax.debug.print(...), lambda: None).</source>
        <translation>隔一段打印一次：jax.lax.cond(i % 100 == 0, lambda: jax.debug.print(...), lambda: None)。</translation>
    </message>
    <message>
        <source>Print less: is there a print in a loop?</source>
        <translation>请减少输出：循环中是否有 print？</translation>
    </message>
    <message>
        <source>Print with `jax.debug.print("{x:.2f}", x=x)`, which prints when the program runs.</source>
        <translation>请用 `jax.debug.print("{x:.2f}", x=x)` 打印，它在程序运行时打印。</translation>
    </message>
    <message>
        <source>Print with jax.debug.print, or outside of the function.</source>
        <translation>请用 jax.debug.print 输出，或在函数外输出。</translation>
    </message>
    <message>
        <source>Printing</source>
        <translation>打印</translation>
    </message>
    <message>
        <source>Printing it raised {name}.</source>
        <translation>输出它时引发了 {name}。</translation>
    </message>
    <message>
        <source>Printing the stage {stage}</source>
        <translation>正在输出阶段 {stage}</translation>
    </message>
    <message>
        <source>Prints values while the program runs.</source>
        <translation>在程序运行时打印值。</translation>
    </message>
    <message>
        <source>Private names of JAX change from release to release. Choose an interpreter with a release that jaxscope was tested with: --python, in the window Run, Choose the interpreter.</source>
        <translation>JAX 的私有名称随版本而变。请选择一个解释器，其中的 JAX 版本是 jaxscope 测试过的：--python，在窗口中是“运行”里的“选择解释器”。</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Program, Measure or Compare: what the window is used for now.</source>
        <translation>程序、测量或比较：窗口现在用来做什么。</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>各程序</translation>
    </message>
    <message>
        <source>Programs for {target} are compiled only: nothing runs that could be timed.</source>
        <translation>面向 {target} 的程序只编译：没有可以计时的运行。</translation>
    </message>
    <message>
        <source>Progress of the export</source>
        <translation>导出进度</translation>
    </message>
    <message>
        <source>Pure and impure functions</source>
        <translation>纯函数和非纯函数</translation>
    </message>
    <message>
        <source>Put a transform around the call …</source>
        <translation>给调用套上一个变换 …</translation>
    </message>
    <message>
        <source>Put a transform around the function</source>
        <translation>给函数套上一个变换</translation>
    </message>
    <message>
        <source>Put code that ends the program under `if __name__ == "__main__":`.</source>
        <translation>请把结束程序的代码放在 `if __name__ == "__main__":` 之下。</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Python (*.py *.ipynb);;All files (*)</source>
        <translation>Python (*.py *.ipynb);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Python (*.py)</source>
        <translation>Python (*.py)</translation>
    </message>
    <message>
        <source>Python cannot read it: {error}.</source>
        <translation>Python 无法读懂它：{error}。</translation>
    </message>
    <message>
        <source>Python code runs while JAX traces, and never in the compiled program.</source>
        <translation>Python 代码在 JAX 追踪时运行，在编译后的程序中从不运行。</translation>
    </message>
    <message>
        <source>Python decides now: not true, so it goes to else. The choice is not in the jaxpr.</source>
        <translation>Python 现在作决定：不成立，所以转到 else。这个选择不在 jaxpr 中。</translation>
    </message>
    <message>
        <source>Python decides now: not true. What is skipped is not in the jaxpr.</source>
        <translation>Python 现在作决定：不成立。跳过的内容不在 jaxpr 中。</translation>
    </message>
    <message>
        <source>Python decides now: true. The choice is not in the jaxpr.</source>
        <translation>Python 现在作决定：成立。这个选择不在 jaxpr 中。</translation>
    </message>
    <message>
        <source>Python files in these folders, and in those inside, run as soon as they are opened.</source>
        <translation>这些文件夹及其内部的 Python 文件，一打开就会运行。</translation>
    </message>
    <message>
        <source>Python needs the answer now, while JAX traces.</source>
        <translation>JAX 追踪时，Python 现在就需要答案。</translation>
    </message>
    <message>
        <source>Python numbers were taken as static, because tracing them raised.</source>
        <translation>追踪 Python 的数时抛出了异常，所以把它们当作静态的。</translation>
    </message>
    <message>
        <source>Python ran out of memory.</source>
        <translation>Python 的内存用完了。</translation>
    </message>
    <message>
        <source>Python's `if`, `while`, `and` or `bool()` asks a whole array for one answer.</source>
        <translation>Python 的 `if`、`while`、`and` 或 `bool()` 向整个数组索取一个答案。</translation>
    </message>
    <message>
        <source>Python's `if`, `while`, `and` or `bool()` asks for the value of a traced array.</source>
        <translation>Python 的 `if`、`while`、`and` 或 `bool()` 索取一个被追踪数组的值。</translation>
    </message>
    <message>
        <source>Python, lessons and saved captures (*.py *.ipynb *.md *.jaxscope *.json);;All files (*)</source>
        <translation>Python、课程和已保存的捕获 (*.py *.ipynb *.md *.jaxscope *.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Pytrees</source>
        <translation>Pytree</translation>
    </message>
    <message>
        <source>Quick start</source>
        <translation>快速入门</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出程序</translation>
    </message>
    <message>
        <source>R: reduced over devices</source>
        <translation>R：已在设备间归约</translation>
    </message>
    <message>
        <source>R:{axes}: reduced over {axes} of the mesh, its cotangent is unreduced.</source>
        <translation>R:{axes}：在网格的 {axes} 上已归约，它的余切是未归约的。</translation>
    </message>
    <message>
        <source>Raise the limit with --memory, or use smaller shapes.</source>
        <translation>请用 --memory 提高限制，或使用更小的形状。</translation>
    </message>
    <message>
        <source>Raise the limit with --timeout, or use smaller shapes.</source>
        <translation>请用 --timeout 提高限制，或使用更小的形状。</translation>
    </message>
    <message>
        <source>Raise the limit, or use smaller shapes.</source>
        <translation>请提高限制，或者使用更小的形状。</translation>
    </message>
    <message>
        <source>Raises every element to a fixed whole power by repeated multiplication; `x ** 2` becomes this.</source>
        <translation>用反复相乘求每个元素的固定整数次幂；`x ** 2` 会变成它。</translation>
    </message>
    <message>
        <source>Raises every element to a power.</source>
        <translation>求每个元素的幂。</translation>
    </message>
    <message>
        <source>Random keys</source>
        <translation>随机密钥</translation>
    </message>
    <message>
        <source>Random keys are shown as the numbers that they consist of.</source>
        <translation>随机密钥显示为组成它们的数。</translation>
    </message>
    <message>
        <source>Read before and pass the array; write after the call, or by jax.experimental.io_callback.</source>
        <translation>先读好，再把数组传进去；在调用之后写，或者用 jax.experimental.io_callback 写。</translation>
    </message>
    <message>
        <source>Read by {readers}.</source>
        <translation>读取它的有 {readers}。</translation>
    </message>
    <message>
        <source>Reading it is not permitted.</source>
        <translation>没有读取它的权限。</translation>
    </message>
    <message>
        <source>Reading machine code</source>
        <translation>正在读取机器码</translation>
    </message>
    <message>
        <source>Reading pass {number} of {total}</source>
        <translation>正在读取第 {number} 个 pass，共 {total} 个</translation>
    </message>
    <message>
        <source>Reading results moves nothing on a CPU, where host and device share the memory: JAX's transfer guard counts nothing there either.</source>
        <translation>在 CPU 上读取结果不移动任何数据，因为主机和设备共用内存：JAX 的传输守卫在那里也不计数。</translation>
    </message>
    <message>
        <source>Reading the exception raised {kind}.</source>
        <translation>读取这个异常时抛出了 {kind}。</translation>
    </message>
    <message>
        <source>Reading the modules …</source>
        <translation>正在读取模块 …</translation>
    </message>
    <message>
        <source>Reading the other capture …</source>
        <translation>正在读取另一个捕获 …</translation>
    </message>
    <message>
        <source>Reading the stage {stage}</source>
        <translation>正在读取阶段 {stage}</translation>
    </message>
    <message>
        <source>Reading {name}</source>
        <translation>正在读取 {name}</translation>
    </message>
    <message>
        <source>Reads a value, or a part of it, from a reference.</source>
        <translation>从引用中读取一个值或它的一部分。</translation>
    </message>
    <message>
        <source>Reads the same bits as another type; nothing is computed.</source>
        <translation>把同样的位当作另一种类型来读；什么也不计算。</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Ready to measure</source>
        <translation>准备测量</translation>
    </message>
    <message>
        <source>Receives data from another device.</source>
        <translation>从另一个设备接收数据。</translation>
    </message>
    <message>
        <source>Receives data from the host.</source>
        <translation>从主机接收数据。</translation>
    </message>
    <message>
        <source>Recent calls</source>
        <translation>最近的调用</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>最近的文件</translation>
    </message>
    <message>
        <source>Recompilation</source>
        <translation>重新编译</translation>
    </message>
    <message>
        <source>Record XLA's passes</source>
        <translation>记录 XLA 的 pass</translation>
    </message>
    <message>
        <source>Record the passes</source>
        <translation>记录 pass</translation>
    </message>
    <message>
        <source>Record the passes (--passes) to see why.</source>
        <translation>记录 pass（--passes）就能看到原因。</translation>
    </message>
    <message>
        <source>Record the passes to link this log to equations: it names instructions by that pass.</source>
        <translation>记录 pass 之后，这份日志就能与方程关联：它按那个 pass 时的名称指称指令。</translation>
    </message>
    <message>
        <source>Recording the device's time of the {noun}</source>
        <translation>正在记录{noun}的设备时间</translation>
    </message>
    <message>
        <source>Recording what each instruction takes</source>
        <translation>正在记录每条指令的用时</translation>
    </message>
    <message>
        <source>Redo the change of the call</source>
        <translation>重做对调用的更改</translation>
    </message>
    <message>
        <source>Reduce the result (`.sum()` or `.mean()`), or use `jax.jacrev` or `jax.vjp`.</source>
        <translation>请归约结果（`.sum()` 或 `.mean()`），或者使用 `jax.jacrev` 或 `jax.vjp`。</translation>
    </message>
    <message>
        <source>References are made into ordinary values before lowering: none is left in StableHLO.</source>
        <translation>引用在 lower 之前就变成普通的值：StableHLO 中不再有引用。</translation>
    </message>
    <message>
        <source>Remat policies</source>
        <translation>remat 策略</translation>
    </message>
    <message>
        <source>Remat policy of the second</source>
        <translation>第二个的 remat 策略</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove some bookmarks, or shorten their notes.</source>
        <translation>请删除一些书签，或者缩短它们的备注。</translation>
    </message>
    <message>
        <source>Removes dimensions of size one.</source>
        <translation>去掉大小为一的维度。</translation>
    </message>
    <message>
        <source>Rename the file or its folder, or use an encoding that has the name: PYTHONUTF8=1.</source>
        <translation>请重命名文件或它的文件夹，或使用含有这个名称的编码：PYTHONUTF8=1。</translation>
    </message>
    <message>
        <source>Repeats an array along new dimensions.</source>
        <translation>沿新的维度重复数组。</translation>
    </message>
    <message>
        <source>Repeats an array along new or larger dimensions. Inside a fusion the repeated array never exists in memory.</source>
        <translation>沿新的或更大的维度重复数组。在融合里面，重复后的数组从不存在于内存中。</translation>
    </message>
    <message>
        <source>Repeats an array along new or larger dimensions. XLA usually fuses it, so that the repeated array never exists in memory.</source>
        <translation>沿新的或更大的维度重复数组。XLA 通常把它融合，因此重复后的数组从不存在于内存中。</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Result {place} is as asked: {told}.</source>
        <translation>结果 {place} 符合条件：{told}。</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Results are not finite</source>
        <translation>结果不是有限值</translation>
    </message>
    <message>
        <source>Results are not finite: {first}.</source>
        <translation>结果不是有限值：{first}。</translation>
    </message>
    <message>
        <source>Return a list, or call the functions that it yields.</source>
        <translation>请返回列表，或者调用它所 yield 的函数。</translation>
    </message>
    <message>
        <source>Return a pair: the result, and its tangent, of the same shape and dtype.</source>
        <translation>请返回一对：结果及其切向量，两者形状和 dtype 相同。</translation>
    </message>
    <message>
        <source>Return a pair: what the function itself returns, and what the backward rule needs.</source>
        <translation>请返回一对：函数本身所返回的，以及反向规则所需要的。</translation>
    </message>
    <message>
        <source>Return a tuple with one entry for each argument of the function, of its shape and dtype, or `None` where it has no derivative.</source>
        <translation>请返回一个元组，函数的每个参数对应一项，形状和 dtype 与之相同；没有导数的为 `None`。</translation>
    </message>
    <message>
        <source>Return arrays, numbers, or lists, tuples and dictionaries of them.</source>
        <translation>请返回数组、数，或者由它们组成的列表、元组和字典。</translation>
    </message>
    <message>
        <source>Return the value instead of storing it in a global, a list or an attribute. See https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError</source>
        <translation>请返回这个值，而不要存进全局变量、列表或属性。见 https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError</translation>
    </message>
    <message>
        <source>Return values instead of saving them in globals, lists or attributes. `jax.checking_leaks()` finds the place.</source>
        <translation>请返回值，而不要存到全局变量、列表或属性中。`jax.checking_leaks()` 能找到位置。</translation>
    </message>
    <message>
        <source>Return what it makes, and leave the arguments as they are.</source>
        <translation>请返回它生成的结果，不要改变参数。</translation>
    </message>
    <message>
        <source>Returns.</source>
        <translation>返回。</translation>
    </message>
    <message>
        <source>Reverses the order along dimensions.</source>
        <translation>沿若干维度颠倒顺序。</translation>
    </message>
    <message>
        <source>Ribbons between views</source>
        <translation>视图之间的连带</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Roofline; the table below has the same values</source>
        <translation>Roofline 图；下面的表格有同样的数值</translation>
    </message>
    <message>
        <source>Round {round:,} of a loop of Python's.</source>
        <translation>Python 循环的第 {round:,} 轮。</translation>
    </message>
    <message>
        <source>Round {round:,} of {num:,} of a loop of Python's.</source>
        <translation>Python 循环共 {num:,} 轮中的第 {round:,} 轮。</translation>
    </message>
    <message>
        <source>Rounds every element down.</source>
        <translation>把每个元素向下取整。</translation>
    </message>
    <message>
        <source>Rounds every element to fewer bits without changing its type.</source>
        <translation>把每个元素舍入到更少的位，类型不变。</translation>
    </message>
    <message>
        <source>Rounds every element to the nearest whole number.</source>
        <translation>把每个元素舍入到最近的整数。</translation>
    </message>
    <message>
        <source>Rounds every element up.</source>
        <translation>把每个元素向上取整。</translation>
    </message>
    <message>
        <source>Rounds to the nearest whole number, halves away from zero.</source>
        <translation>舍入到最近的整数，恰在中间时远离零。</translation>
    </message>
    <message>
        <source>Rounds to the nearest whole number, halves to the even one.</source>
        <translation>舍入到最近的整数，恰在中间时取偶数。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run a call first.</source>
        <translation>请先运行一个调用。</translation>
    </message>
    <message>
        <source>Run a call to see its arguments and results.</source>
        <translation>运行一个调用，查看它的参数和结果。</translation>
    </message>
    <message>
        <source>Run a call to see this stage.</source>
        <translation>运行一个调用，查看这个阶段。</translation>
    </message>
    <message>
        <source>Run a call to see what jaxscope notices about it.</source>
        <translation>运行一个调用，查看 jaxscope 注意到什么。</translation>
    </message>
    <message>
        <source>Run a call to see {title}.</source>
        <translation>运行一个调用，查看 {title}。</translation>
    </message>
    <message>
        <source>Run a call to step through it.</source>
        <translation>运行一个调用，然后单步执行。</translation>
    </message>
    <message>
        <source>Run a call, or open a capture first.</source>
        <translation>请先运行一个调用，或打开一个捕获。</translation>
    </message>
    <message>
        <source>Run a call: this page opens each kernel that the compiler fused, with what it reads, writes and saves. Select two instructions of the optimized program to see why they are not one kernel.</source>
        <translation>运行一个调用：这一页会打开编译器融合的每个内核，显示它读取、写出和节省什么。选择优化后的程序中的两条指令，可以看到它们为什么不是一个内核。</translation>
    </message>
    <message>
        <source>Run a function with stand-ins for its arrays, to record what it does.</source>
        <translation>用数组的替身运行函数，记录它做了什么。</translation>
    </message>
    <message>
        <source>Run a script</source>
        <translation>运行脚本</translation>
    </message>
    <message>
        <source>Run a script as it is …</source>
        <translation>按原样运行脚本 …</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Run again. Does something else on this machine end or stop processes?</source>
        <translation>请再运行一次。这台机器上是否有别的东西会结束或停止进程？</translation>
    </message>
    <message>
        <source>Run again: another one is started. Does the code send signals to processes that it did not start, or write to their pipes?</source>
        <translation>请再运行一次：会启动另一个。代码是否向不是它启动的进程发送信号，或写入它们的管道？</translation>
    </message>
    <message>
        <source>Run again: the connection is made anew.</source>
        <translation>请再运行一次：会重新建立连接。</translation>
    </message>
    <message>
        <source>Run again: the connection is made anew. What ran there has ended.</source>
        <translation>请再运行一次：会重新建立连接。在那里运行的已经结束。</translation>
    </message>
    <message>
        <source>Run before</source>
        <translation>上一次运行</translation>
    </message>
    <message>
        <source>Run nothing, and ask no more. A call that you run all the same counts as Run once.</source>
        <translation>不运行任何东西，也不再询问。您仍然运行的调用算作只运行一次。</translation>
    </message>
    <message>
        <source>Run once</source>
        <translation>只运行一次</translation>
    </message>
    <message>
        <source>Run the call</source>
        <translation>运行这个调用</translation>
    </message>
    <message>
        <source>Run the call again.</source>
        <translation>请再次运行这个调用。</translation>
    </message>
    <message>
        <source>Run the call. A change of the file is then told and not run, and you are asked again when it is opened again.</source>
        <translation>运行这个调用。此后文件的改动只会提示而不会运行，再次打开它时会再次询问。</translation>
    </message>
    <message>
        <source>Run the calls</source>
        <translation>运行这些调用</translation>
    </message>
    <message>
        <source>Run the equations one by one, too</source>
        <translation>也逐个运行方程</translation>
    </message>
    <message>
        <source>Run the job with XLA_FLAGS=--xla_dump_to=DIR, or with JAX_DUMP_IR_TO=DIR, and open DIR.</source>
        <translation>请用 XLA_FLAGS=--xla_dump_to=DIR 或 JAX_DUMP_IR_TO=DIR 运行作业，然后打开 DIR。</translation>
    </message>
    <message>
        <source>Run to the equation that is selected (F9)</source>
        <translation>运行到所选的方程（F9）</translation>
    </message>
    <message>
        <source>Run to the selected equation</source>
        <translation>运行到所选的方程</translation>
    </message>
    <message>
        <source>Run to the selected line, or to the one that added the selected equation (F9)</source>
        <translation>运行到所选的行，或增加了所选方程的行（F9）</translation>
    </message>
    <message>
        <source>Run until</source>
        <translation>运行直到</translation>
    </message>
    <message>
        <source>Run with the gradient</source>
        <translation>连同梯度一起运行</translation>
    </message>
    <message>
        <source>Run {call}</source>
        <translation>运行 {call}</translation>
    </message>
    <message>
        <source>Run {name}</source>
        <translation>运行 {name}</translation>
    </message>
    <message>
        <source>Running call {number} of {total}: {text}</source>
        <translation>正在运行第 {number} 个调用，共 {total} 个：{text}</translation>
    </message>
    <message>
        <source>Running equation by equation</source>
        <translation>正在逐个方程运行</translation>
    </message>
    <message>
        <source>Running in double precision</source>
        <translation>正在以双精度运行</translation>
    </message>
    <message>
        <source>Running the gradient equation by equation</source>
        <translation>正在逐个方程运行梯度</translation>
    </message>
    <message>
        <source>Running the other side …</source>
        <translation>正在运行另一方 …</translation>
    </message>
    <message>
        <source>Running the {noun} equation by equation</source>
        <translation>正在逐个方程运行{noun}</translation>
    </message>
    <message>
        <source>Running {equation} {operation}</source>
        <translation>正在运行 {equation} {operation}</translation>
    </message>
    <message>
        <source>Running {running_s} s: {doing}</source>
        <translation>正在运行 {running_s} 秒：{doing}</translation>
    </message>
    <message>
        <source>Runs a program that reads and writes references.</source>
        <translation>运行一个读写引用的程序。</translation>
    </message>
    <message>
        <source>Runs another computation. On CPUs XLA wraps work in calls to run it on several threads.</source>
        <translation>运行另一个计算。在 CPU 上 XLA 把工作包在 call 中，以便在几个线程上运行。</translation>
    </message>
    <message>
        <source>Runs another program here.</source>
        <translation>在这里运行另一个程序。</translation>
    </message>
    <message>
        <source>Runs calls one after another, or a loop of yours, and lists every key that a jitted function was compiled for. One call a line; none for the calls that the file offers.</source>
        <translation>依次运行多个调用，或运行您的一个循环，列出 jit 函数为之编译过的每个键。每行一个调用；留空则用文件提供的调用。</translation>
    </message>
    <message>
        <source>Runs now, while JAX traces.</source>
        <translation>现在运行，即 JAX 追踪的时候。</translation>
    </message>
    <message>
        <source>Runs one of several computations, chosen when the program runs.</source>
        <translation>运行几个计算之一，在程序运行时选择。</translation>
    </message>
    <message>
        <source>Runs one of several programs, chosen when the program runs.</source>
        <translation>运行几个程序之一，在程序运行时选择。</translation>
    </message>
    <message>
        <source>Runs the call three ways and counts differences in units of the last place (ULP): the distance between neighbouring numbers of the result's type. Where eager and jit differ, parts are compiled by themselves, and without single passes, to find out why.</source>
        <translation>用三种方式运行这个调用，并以末位单位（ULP）计算差别，即结果类型中相邻两数的距离。急切执行和 jit 不同时，会单独编译各部分，并去掉个别 pass，以找出原因。</translation>
    </message>
    <message>
        <source>Runs the function for a whole batch at once.</source>
        <translation>对整批数据一次运行这个函数。</translation>
    </message>
    <message>
        <source>Runs the program on every device's own part of the arrays.</source>
        <translation>在每个设备自己的那部分数组上运行程序。</translation>
    </message>
    <message>
        <source>Runs the program on several devices at once.</source>
        <translation>在几个设备上同时运行程序。</translation>
    </message>
    <message>
        <source>SELU</source>
        <translation>SELU</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Samples and recent files</source>
        <translation>示例和最近的文件</translation>
    </message>
    <message>
        <source>Samples stay as they are. Save it in another folder.</source>
        <translation>示例保持原样。请保存到另一个文件夹。</translation>
    </message>
    <message>
        <source>Samples with pictures</source>
        <translation>带图片的示例</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save as …</source>
        <translation>另存为 …</translation>
    </message>
    <message>
        <source>Save capture as …</source>
        <translation>捕获另存为 …</translation>
    </message>
    <message>
        <source>Save capture{held}</source>
        <translation>保存捕获{held}</translation>
    </message>
    <message>
        <source>Save it by numpy.save, numpy.savez or safetensors, without Python objects.</source>
        <translation>请用 numpy.save、numpy.savez 或 safetensors 保存，不含 Python 对象。</translation>
    </message>
    <message>
        <source>Save the capture again, or capture the call anew.</source>
        <translation>请重新保存捕获，或者重新捕获这个调用。</translation>
    </message>
    <message>
        <source>Save the change</source>
        <translation>保存修改</translation>
    </message>
    <message>
        <source>Save the change as</source>
        <translation>修改另存为</translation>
    </message>
    <message>
        <source>Save the change as …</source>
        <translation>修改另存为 …</translation>
    </message>
    <message>
        <source>Save the comparison</source>
        <translation>保存比较结果</translation>
    </message>
    <message>
        <source>Save the comparison as …</source>
        <translation>比较结果另存为 …</translation>
    </message>
    <message>
        <source>Save the file as UTF-8, or name its encoding in the first line, such as `# -*- coding: latin-1 -*-`.</source>
        <translation>请把文件保存为 UTF-8，或在第一行指明编码，如 `# -*- coding: latin-1 -*-`。</translation>
    </message>
    <message>
        <source>Saved captures and Python files (*.jaxscope *.json *.py)</source>
        <translation>已保存的捕获和 Python 文件 (*.jaxscope *.json *.py)</translation>
    </message>
    <message>
        <source>Saved to {path}</source>
        <translation>已保存到 {path}</translation>
    </message>
    <message>
        <source>Say after {field}: what to look for.</source>
        <translation>请在 {field}: 之后写明要查找什么。</translation>
    </message>
    <message>
        <source>Say {words}.</source>
        <translation>请写 {words}。</translation>
    </message>
    <message>
        <source>Scratch copy with your change from before: the file is as it was.</source>
        <translation>草稿副本，含您之前的修改：文件保持原样。</translation>
    </message>
    <message>
        <source>Scratch copy. The file has changed on disk since.</source>
        <translation>草稿副本。此后磁盘上的文件已改变。</translation>
    </message>
    <message>
        <source>Scratch copy: the file is as it was.</source>
        <translation>草稿副本：文件保持原样。</translation>
    </message>
    <message>
        <source>Second call</source>
        <translation>第二个调用</translation>
    </message>
    <message>
        <source>Seconds are those of the compilation whose result is shown, as XLA's own recorder noted them; a pass that repeats others includes them. Unknown for what changes the module outside of a pass of a pipeline.</source>
        <translation>秒数属于所显示结果的那次编译，由 XLA 自己的记录器记下；重复其他 pass 的 pass 包含它们的时间。在流水线的 pass 之外改变模块的步骤，时间未知。</translation>
    </message>
    <message>
        <source>Seconds of instructions are from {path}: the mean of {runs}.</source>
        <translation>指令的秒数来自 {path}：{runs}的平均值。</translation>
    </message>
    <message>
        <source>See everything again</source>
        <translation>重新显示全部</translation>
    </message>
    <message>
        <source>See it traced line by line</source>
        <translation>逐行看它的追踪</translation>
    </message>
    <message>
        <source>See what JAX and XLA do with your code</source>
        <translation>看 JAX 和 XLA 如何处理您的代码</translation>
    </message>
    <message>
        <source>See {url}</source>
        <translation>参见 {url}</translation>
    </message>
    <message>
        <source>Select a node first.</source>
        <translation>请先选择一个节点。</translation>
    </message>
    <message>
        <source>Select an equation of {stage} first.</source>
        <translation>请先选择 {stage} 中的一个方程。</translation>
    </message>
    <message>
        <source>Select something first.</source>
        <translation>请先选择一些内容。</translation>
    </message>
    <message>
        <source>Select two nodes of one stage, one after the other.</source>
        <translation>请先后选择同一阶段的两个节点。</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>所选</translation>
    </message>
    <message>
        <source>Sends data to another device.</source>
        <translation>向另一个设备发送数据。</translation>
    </message>
    <message>
        <source>Sends data to the host.</source>
        <translation>向主机发送数据。</translation>
    </message>
    <message>
        <source>Several operations that XLA joined into one loop. Values between them stay in registers and are never written to memory.</source>
        <translation>XLA 合成一个循环的几个运算。它们之间的值留在寄存器中，从不写入内存。</translation>
    </message>
    <message>
        <source>Several random keys are given where one is taken.</source>
        <translation>只接受一个随机密钥的地方给出了多个。</translation>
    </message>
    <message>
        <source>Shapes are known before values are</source>
        <translation>形状先于数值而知</translation>
    </message>
    <message>
        <source>Shapes must be known while tracing: use `jnp.where(mask, x, 0)`, or `jnp.nonzero(mask, size=n)`.</source>
        <translation>形状必须在追踪时已知：请使用 `jnp.where(mask, x, 0)`，或者 `jnp.nonzero(mask, size=n)`。</translation>
    </message>
    <message>
        <source>Shifts bits to the left.</source>
        <translation>把位向左移。</translation>
    </message>
    <message>
        <source>Shifts bits to the right and fills with zeros.</source>
        <translation>把位向右移，用零填充。</translation>
    </message>
    <message>
        <source>Shifts bits to the right and keeps the sign.</source>
        <translation>把位向右移，保留符号。</translation>
    </message>
    <message>
        <source>Shifts the bits of every integer to the left.</source>
        <translation>把每个整数的位向左移。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show all again</source>
        <translation>全部重新显示</translation>
    </message>
    <message>
        <source>Show all notes</source>
        <translation>显示所有说明</translation>
    </message>
    <message>
        <source>Show all of it again (0)</source>
        <translation>重新显示全图 (0)</translation>
    </message>
    <message>
        <source>Show another stage in this view</source>
        <translation>在此视图中显示另一个阶段</translation>
    </message>
    <message>
        <source>Show one line of notes</source>
        <translation>只显示一行说明</translation>
    </message>
    <message>
        <source>Show only passes whose name or text contains this</source>
        <translation>只显示名称或文本含有此内容的 pass</translation>
    </message>
    <message>
        <source>Show page</source>
        <translation>显示页面</translation>
    </message>
    <message>
        <source>Show stage beside: {title}</source>
        <translation>在旁边显示阶段：{title}</translation>
    </message>
    <message>
        <source>Show stage: {title}</source>
        <translation>显示阶段：{title}</translation>
    </message>
    <message>
        <source>Show that stage as a graph first.</source>
        <translation>请先以图显示那个阶段。</translation>
    </message>
    <message>
        <source>Show the times</source>
        <translation>显示时间</translation>
    </message>
    <message>
        <source>Show this stage as a graph, a text, a table or a tree</source>
        <translation>以图、文本、表格或树显示这个阶段</translation>
    </message>
    <message>
        <source>Show traceback</source>
        <translation>显示回溯</translation>
    </message>
    <message>
        <source>Show what is folded here (+)</source>
        <translation>显示这里折叠的内容（+）</translation>
    </message>
    <message>
        <source>Show what to see</source>
        <translation>显示要看的内容</translation>
    </message>
    <message>
        <source>Shows what JAX and XLA do with a call: every stage, linked, timed.</source>
        <translation>显示 JAX 和 XLA 如何处理一个调用：每个阶段，相互关联，附带用时。</translation>
    </message>
    <message>
        <source>Signatures</source>
        <translation>签名</translation>
    </message>
    <message>
        <source>Signed whole numbers divided by zero give -1 on a CPU, without an error.</source>
        <translation>在 CPU 上，有符号整数除以零得到 -1，不报错。</translation>
    </message>
    <message>
        <source>Simplifications</source>
        <translation>简化</translation>
    </message>
    <message>
        <source>Since this pass no instruction carries the equations {ended}.</source>
        <translation>从这个 pass 起，没有指令再带有方程 {ended}。</translation>
    </message>
    <message>
        <source>Single calls, each with a wait for its result: one takes so long that several without waiting in between are not tried.</source>
        <translation>单次调用，每次都等待结果：一次用时太长，所以没有尝试连续多次而中间不等待。</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>规模</translation>
    </message>
    <message>
        <source>Skip this</source>
        <translation>跳过此项</translation>
    </message>
    <message>
        <source>Skip what is being measured</source>
        <translation>跳过正在测量的内容</translation>
    </message>
    <message>
        <source>Skipped by hand: {text}.</source>
        <translation>手动跳过：{text}。</translation>
    </message>
    <message>
        <source>Skipped by hand: {text}. What it gave is partial.</source>
        <translation>手动跳过：{text}。它给出的结果不完整。</translation>
    </message>
    <message>
        <source>Slice in view</source>
        <translation>所看的切片</translation>
    </message>
    <message>
        <source>Slower; shows how much results differ from process to process</source>
        <translation>更慢；显示各进程之间的结果相差多少</translation>
    </message>
    <message>
        <source>Slower; shows how much the ratio differs from process to process. Where target, interpreter or environment differ, it is always done.</source>
        <translation>更慢；显示各进程之间的比值相差多少。目标、解释器或环境不同时总是这样做。</translation>
    </message>
    <message>
        <source>Smaller type</source>
        <translation>字体减小</translation>
    </message>
    <message>
        <source>So are arguments already: {count}.</source>
        <translation>参数已经如此：{count}。</translation>
    </message>
    <message>
        <source>So did {others}.</source>
        <translation>{others} 也是如此。</translation>
    </message>
    <message>
        <source>So do {others}.</source>
        <translation>{others} 同样如此。</translation>
    </message>
    <message>
        <source>So does the whole program without {names}.</source>
        <translation>整个程序不含 {names} 时也是如此。</translation>
    </message>
    <message>
        <source>So does the whole program.</source>
        <translation>整个程序也是如此。</translation>
    </message>
    <message>
        <source>So far: the last {count} calls of the warm-up, one after another.</source>
        <translation>至此：预热的最后 {count} 次调用，一次接一次。</translation>
    </message>
    <message>
        <source>So far: the second call after compiling.</source>
        <translation>至此：编译之后的第二次调用。</translation>
    </message>
    <message>
        <source>So is a constant that it closes over already: {count}.</source>
        <translation>它捕获的一个常量已经如此：{count}。</translation>
    </message>
    <message>
        <source>So it is not known that they do the same work.</source>
        <translation>所以不知道它们是否做同样的工作。</translation>
    </message>
    <message>
        <source>Solves a linear system with a triangular matrix.</source>
        <translation>求解三角矩阵的线性方程组。</translation>
    </message>
    <message>
        <source>Solves a linear system, with a hand-made rule for its gradient.</source>
        <translation>求解线性方程组，其梯度有手写的规则。</translation>
    </message>
    <message>
        <source>Some bytes of the file are no text, and would be lost. Save as another one.</source>
        <translation>文件中有些字节不是文本，保存会丢失它们。请另存为其他文件。</translation>
    </message>
    <message>
        <source>Some names belong to another program than the one that is shown.</source>
        <translation>有些名称属于另一个程序，而不是所显示的程序。</translation>
    </message>
    <message>
        <source>Something needs the value of a traced array while tracing.</source>
        <translation>有什么在追踪时需要一个被追踪数组的值。</translation>
    </message>
    <message>
        <source>Something went wrong inside jaxscope; your code is not to blame.</source>
        <translation>jaxscope 内部出了错；不是您的代码的问题。</translation>
    </message>
    <message>
        <source>Sorts along a dimension, and may carry other arrays along.</source>
        <translation>沿一个维度排序，可以带着其他数组一起排。</translation>
    </message>
    <message>
        <source>Sorts along a dimension.</source>
        <translation>沿一个维度排序。</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>Source, scratch copy</source>
        <translation>源代码，草稿副本</translation>
    </message>
    <message>
        <source>Source: the file as it ran.</source>
        <translation>源代码：运行时的文件。</translation>
    </message>
    <message>
        <source>Space or →: on, equation by equation</source>
        <translation>空格或 →：逐个方程前进</translation>
    </message>
    <message>
        <source>Space or →: on, equation by equation of {stage}</source>
        <translation>空格或 →：按 {stage} 的方程逐个前进</translation>
    </message>
    <message>
        <source>Space or →: on, line by line</source>
        <translation>空格或 →：逐行前进</translation>
    </message>
    <message>
        <source>Split below</source>
        <translation>向下拆分</translation>
    </message>
    <message>
        <source>Split it first: `key, subkey = jax.random.split(key)`.</source>
        <translation>请先分裂它：`key, subkey = jax.random.split(key)`。</translation>
    </message>
    <message>
        <source>Split long groups</source>
        <translation>拆分长的组</translation>
    </message>
    <message>
        <source>Split the deeply nested or very long expression.</source>
        <translation>请拆开嵌套很深或很长的表达式。</translation>
    </message>
    <message>
        <source>Split to the right</source>
        <translation>向右拆分</translation>
    </message>
    <message>
        <source>StableHLO</source>
        <translation>StableHLO</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Stage of this view</source>
        <translation>此视图的阶段</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>各阶段</translation>
    </message>
    <message>
        <source>Start jaxscope in the folder that the code is meant to run in.</source>
        <translation>请在代码应当运行的文件夹中启动 jaxscope。</translation>
    </message>
    <message>
        <source>Start jaxscope with --python and the path of the interpreter there.</source>
        <translation>请在启动 jaxscope 时用 --python 给出那台机器上解释器的路径。</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>起始页</translation>
    </message>
    <message>
        <source>Start with the type that comes back, as in jnp.zeros((), jnp.float32) for 0.0; or cast the result: .astype(state.dtype).</source>
        <translation>一开始就用返回时的类型，例如用 jnp.zeros((), jnp.float32) 代替 0.0；或者转换结果的类型：.astype(state.dtype)。</translation>
    </message>
    <message>
        <source>Starting JAX</source>
        <translation>正在启动 JAX</translation>
    </message>
    <message>
        <source>Starting the call</source>
        <translation>正在开始调用</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>正在启动 …</translation>
    </message>
    <message>
        <source>Starts a copy that runs in the background.</source>
        <translation>启动一个在后台进行的复制。</translation>
    </message>
    <message>
        <source>State must travel through arguments and results.</source>
        <translation>状态必须通过参数和结果来传递。</translation>
    </message>
    <message>
        <source>Steady from call {number} on.</source>
        <translation>从第 {number} 次调用起稳定。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Step back</source>
        <translation>后退一步</translation>
    </message>
    <message>
        <source>Step begins at the arguments. Each step runs one equation, as JAX does without jit.</source>
        <translation>单步执行从参数开始。每步运行一个方程，与不用 jit 的 JAX 一样。</translation>
    </message>
    <message>
        <source>Step begins before the first line. Each step is one line that runs while JAX traces.</source>
        <translation>从第一行之前开始。每步是 JAX 追踪时运行的一行。</translation>
    </message>
    <message>
        <source>Step into</source>
        <translation>步入</translation>
    </message>
    <message>
        <source>Step out</source>
        <translation>步出</translation>
    </message>
    <message>
        <source>Step through its numbers</source>
        <translation>带着数值单步执行</translation>
    </message>
    <message>
        <source>Step {name_step}{peak}: {name} ({operation}), {timeline} in {num_buffers}</source>
        <translation>第 {name_step} 步{peak}：{name}（{operation}），{timeline}，共 {num_buffers}</translation>
    </message>
    <message>
        <source>Step ▶</source>
        <translation>单步 ▶</translation>
    </message>
    <message>
        <source>Stepping …</source>
        <translation>正在单步执行 …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the export</source>
        <translation>停止导出</translation>
    </message>
    <message>
        <source>Stop the export; nothing is left of it (Esc)</source>
        <translation>停止导出；不会留下任何文件（Esc）</translation>
    </message>
    <message>
        <source>Stop what is running (Esc)</source>
        <translation>停止正在运行的内容（Esc）</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Stopping …</source>
        <translation>正在停止 …</translation>
    </message>
    <message>
        <source>Stopping … (again: end the process)</source>
        <translation>正在停止 …（再按一次：结束进程）</translation>
    </message>
    <message>
        <source>Subtracts element by element.</source>
        <translation>逐元素相减。</translation>
    </message>
    <message>
        <source>Such as ssh://gpu-box/gpu:0 or ssh://me@10.0.0.7:2222/cpu:8.</source>
        <translation>如 ssh://gpu-box/gpu:0 或 ssh://me@10.0.0.7:2222/cpu:8。</translation>
    </message>
    <message>
        <source>Such as v5e:2x2,h100.</source>
        <translation>如 v5e:2x2,h100。</translation>
    </message>
    <message>
        <source>Such as x:0, or params['w']:1.</source>
        <translation>如 x:0 或 params['w']:1。</translation>
    </message>
    <message>
        <source>Such as x:0=64..4096, or n=1..64 for a name n in the call.</source>
        <translation>如 x:0=64..4096；对调用中的名称 n，如 n=1..64。</translation>
    </message>
    <message>
        <source>Such as x:0=64..4096.</source>
        <translation>如 x:0=64..4096。</translation>
    </message>
    <message>
        <source>Such as: f(x, w).</source>
        <translation>例如：f(x, w)。</translation>
    </message>
    <message>
        <source>Such as: loss(f32[8]).</source>
        <translation>例如：loss(f32[8])。</translation>
    </message>
    <message>
        <source>Such as: loss(f32[{vary}, 8]).</source>
        <translation>例如：loss(f32[{vary}, 8])。</translation>
    </message>
    <message>
        <source>Sum in float32: start the carry as jnp.zeros((), jnp.float32), and cast the result.</source>
        <translation>用 float32 求和：携带的状态从 jnp.zeros((), jnp.float32) 开始，最后转换结果的类型。</translation>
    </message>
    <message>
        <source>Sums over all devices and leaves every device with one part of the total.</source>
        <translation>对所有设备求和，每个设备留下总和的一部分。</translation>
    </message>
    <message>
        <source>Sums over devices and leaves every device with one part of the total.</source>
        <translation>对若干设备求和，每个设备留下总和的一部分。</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Table (*.csv);;Picture (*.png)</source>
        <translation>表格 (*.csv);;图片 (*.png)</translation>
    </message>
    <message>
        <source>Table of the {name}</source>
        <translation>{name} 的表格</translation>
    </message>
    <message>
        <source>Take a device that is here, such as --target cpu. `jaxscope targets` estimates times from what is published of chips.</source>
        <translation>请选用这里有的设备，如 --target cpu。`jaxscope targets` 根据芯片公布的数据估计时间。</translation>
    </message>
    <message>
        <source>Take a key as an argument: jax.random.normal(key, shape).</source>
        <translation>把密钥作为参数：jax.random.normal(key, shape)。</translation>
    </message>
    <message>
        <source>Take one of them, as `keys[0]`, or draw with each: `jax.vmap(lambda key: jax.random.normal(key, shape))(keys)`.</source>
        <translation>取其中一个，如 `keys[0]`；或用每个密钥抽取：`jax.vmap(lambda key: jax.random.normal(key, shape))(keys)`。</translation>
    </message>
    <message>
        <source>Take the state as an argument and return the next state.</source>
        <translation>把状态作为参数，并返回下一个状态。</translation>
    </message>
    <message>
        <source>Take them from jax.random, with a key as an argument.</source>
        <translation>请用 jax.random 生成它们，并把密钥作为参数。</translation>
    </message>
    <message>
        <source>Take what it needs as an argument and return what it makes.</source>
        <translation>请把它需要的内容作为参数传入，并返回它生成的结果。</translation>
    </message>
    <message>
        <source>Take what the function needs as an argument and return what it makes.</source>
        <translation>把函数需要的内容作为参数，并返回它所生成的内容。</translation>
    </message>
    <message>
        <source>Taken as static, {why}: {names}.</source>
        <translation>作为静态参数，{why}：{names}。</translation>
    </message>
    <message>
        <source>Taken into one of {names} of {equations}: XLA makes the array in the shape that is read.</source>
        <translation>并入{equations}的 {names} 之一：XLA 直接按被读取的形状生成这个数组。</translation>
    </message>
    <message>
        <source>Taken into {names} of {equations}: XLA makes the array in the shape that is read.</source>
        <translation>并入{equations}的 {names}：XLA 直接按被读取的形状生成这个数组。</translation>
    </message>
    <message>
        <source>Takes one value out of a tuple; costs nothing.</source>
        <translation>从元组中取出一个值；没有开销。</translation>
    </message>
    <message>
        <source>Takes the plain integers out of a typed key.</source>
        <translation>从带类型的密钥中取出普通整数。</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Target of the other side</source>
        <translation>另一方的目标</translation>
    </message>
    <message>
        <source>Target of the second</source>
        <translation>第二个的目标</translation>
    </message>
    <message>
        <source>Targets</source>
        <translation>各目标</translation>
    </message>
    <message>
        <source>Targets are {examples}.</source>
        <translation>目标有 {examples}。</translation>
    </message>
    <message>
        <source>Tells where the first array is greater than or equal to the second.</source>
        <translation>指出第一个数组在何处大于或等于第二个。</translation>
    </message>
    <message>
        <source>Tells where the first array is greater than the second.</source>
        <translation>指出第一个数组在何处大于第二个。</translation>
    </message>
    <message>
        <source>Tells where the first array is less or equal, in the order that sorting uses.</source>
        <translation>指出第一个数组在何处小于或等于第二个，按排序所用的顺序。</translation>
    </message>
    <message>
        <source>Tells where the first array is less than or equal to the second.</source>
        <translation>指出第一个数组在何处小于或等于第二个。</translation>
    </message>
    <message>
        <source>Tells where the first array is less than the second.</source>
        <translation>指出第一个数组在何处小于第二个。</translation>
    </message>
    <message>
        <source>Tells where the first array is less, in the order that sorting uses.</source>
        <translation>指出第一个数组在何处小于第二个，按排序所用的顺序。</translation>
    </message>
    <message>
        <source>Tells where two arrays are equal.</source>
        <translation>指出两个数组在何处相等。</translation>
    </message>
    <message>
        <source>Tells where two arrays differ.</source>
        <translation>指出两个数组在何处不同。</translation>
    </message>
    <message>
        <source>Tells which elements are neither infinite nor NaN.</source>
        <translation>指出哪些元素既不是无穷大也不是 NaN。</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>文本 (*.txt)</translation>
    </message>
    <message>
        <source>Text of the lesson</source>
        <translation>课程的正文</translation>
    </message>
    <message>
        <source>Text of the stage</source>
        <translation>阶段的文本</translation>
    </message>
    <message>
        <source>Text of {name}</source>
        <translation>{name} 的文本</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>各文本</translation>
    </message>
    <message>
        <source>That is more than the three quarters of a GPU's memory that JAX takes unless the environment variable XLA_CLIENT_MEM_FRACTION says otherwise.</source>
        <translation>这超过了 GPU 内存的四分之三，而 JAX 只占用这么多，除非环境变量 XLA_CLIENT_MEM_FRACTION 另有规定。</translation>
    </message>
    <message>
        <source>That is more than the {total} that XLA allocates.</source>
        <translation>这比 XLA 所分配的 {total} 多。</translation>
    </message>
    <message>
        <source>That line calls {place}.</source>
        <translation>这一行调用了 {place}。</translation>
    </message>
    <message>
        <source>That line does not run while JAX traces.</source>
        <translation>JAX 追踪时不运行这一行。</translation>
    </message>
    <message>
        <source>The Cholesky factor of a positive definite matrix.</source>
        <translation>正定矩阵的 Cholesky 因子。</translation>
    </message>
    <message>
        <source>The Cholesky factor of a positive definite matrix; done by a library.</source>
        <translation>正定矩阵的 Cholesky 因子；由库完成。</translation>
    </message>
    <message>
        <source>The GPU then computes in float32, which takes longer.</source>
        <translation>这样 GPU 用 float32 计算，耗时更长。</translation>
    </message>
    <message>
        <source>The HLO before and after optimization are of different programs: their arguments differ. Several processes may have written to one folder. Nothing is linked between the stages.</source>
        <translation>优化前和优化后的 HLO 属于不同的程序：它们的参数不同。可能有多个进程写入了同一个文件夹。各阶段之间不作关联。</translation>
    </message>
    <message>
        <source>The JVP is a `scan` with the tangents in its carry. Backward is a `scan` with `reverse` flipped, over what the forward one kept of every step.</source>
        <translation>JVP 是一个把切向量也放进携带状态的 `scan`。反向是一个把 `reverse` 反过来的 `scan`，作用于前向在每一步所保留的值。</translation>
    </message>
    <message>
        <source>The Jacobian, one input at a time.</source>
        <translation>雅可比矩阵，每次一个输入。</translation>
    </message>
    <message>
        <source>The Jacobian, one output at a time.</source>
        <translation>雅可比矩阵，每次一个输出。</translation>
    </message>
    <message>
        <source>The LU decomposition of a matrix; done by a library.</source>
        <translation>矩阵的 LU 分解；由库完成。</translation>
    </message>
    <message>
        <source>The Python expression that everything is about, such as `grad(loss)(w, x)`.</source>
        <translation>一切都围绕着它的那个 Python 表达式，例如 `grad(loss)(w, x)`。</translation>
    </message>
    <message>
        <source>The Python of {host} is too old: {old}, and jaxscope needs 3.11 or newer.</source>
        <translation>{host} 的 Python 太旧：{old}，而 jaxscope 需要 3.11 或更新的版本。</translation>
    </message>
    <message>
        <source>The QR decomposition of a matrix; done by a library.</source>
        <translation>矩阵的 QR 分解；由库完成。</translation>
    </message>
    <message>
        <source>The Schur decomposition of a matrix; done by a library.</source>
        <translation>矩阵的 Schur 分解；由库完成。</translation>
    </message>
    <message>
        <source>The `add` of a reduction is a word in its label.</source>
        <translation>归约的 `add` 是它标签中的一个词。</translation>
    </message>
    <message>
        <source>The absolute value of every element.</source>
        <translation>每个元素的绝对值。</translation>
    </message>
    <message>
        <source>The angle of the point (x, y) for every pair of elements.</source>
        <translation>每一对元素所成的点 (x, y) 的角度。</translation>
    </message>
    <message>
        <source>The argument is {type_}, which does not hold such numbers.</source>
        <translation>这个参数是 {type_}，放不下这样的数。</translation>
    </message>
    <message>
        <source>The argument is {type_}; the program was traced for that shape.</source>
        <translation>这个参数是 {type_}；程序是按那个形状追踪的。</translation>
    </message>
    <message>
        <source>The arguments cannot be read: {error}.</source>
        <translation>无法读取这些参数：{error}。</translation>
    </message>
    <message>
        <source>The arguments come in several structures: other keys, lengths or types of containers, other fields that are no arrays, or arguments by name, or left to their default, in some calls only. Build them the same way.</source>
        <translation>参数以多种结构出现：容器的键、长度或类型不同，不是数组的字段不同，或者只在某些调用中按名称给出参数、或省略而用默认值。请以同样的方式构造它们。</translation>
    </message>
    <message>
        <source>The arguments do not fit the function's parameters.</source>
        <translation>这些参数与函数的参数列表不符。</translation>
    </message>
    <message>
        <source>The arguments of its jaxpr are not those of the call.</source>
        <translation>它的 jaxpr 的参数不是这个调用的参数。</translation>
    </message>
    <message>
        <source>The arguments, handed from the host to the device. A CPU may share the memory and not copy.</source>
        <translation>参数从主机交给设备。CPU 可能共用内存而不复制。</translation>
    </message>
    <message>
        <source>The arguments{on}
{join}</source>
        <translation>参数{on}
{join}</translation>
    </message>
    <message>
        <source>The array is cast from {narrow} to {wide}, sorted and cast back. A sort only moves elements, so the result is the same without, and XLA keeps the casts on a TPU: it sorts {bytes:,} bytes in place of {fewer:,}.</source>
        <translation>数组从 {narrow} 转换为 {wide}，排序后再转换回来。排序只移动元素，不转换结果也一样，而在 TPU 上 XLA 保留这些转换：排序的是 {bytes:,} 字节，而不是 {fewer:,} 字节。</translation>
    </message>
    <message>
        <source>The array is transposed, a softmax is taken, and it is transposed back. On a CPU XLA keeps both transposes, with {bytes:,} bytes read and written anew for each; along its own axis the softmax needs none.</source>
        <translation>数组先转置，取 softmax，再转置回来。在 CPU 上 XLA 保留两次转置，每次都要重新读写 {bytes:,} 字节；直接沿原来的轴取 softmax 则不需要转置。</translation>
    </message>
    <message>
        <source>The array {name} ({type}, {size:,} bytes) was captured: it is a constant of the program; {why}. {readers}</source>
        <translation>数组 {name}（{type}，{size:,} 字节）被捕获：它是程序的一个常量；{why}。{readers}</translation>
    </message>
    <message>
        <source>The arrays of one parameter are one box.</source>
        <translation>一个参数的各个数组是一个方框。</translation>
    </message>
    <message>
        <source>The arrays that were alive between calls: {partition} devices do not tell what programs take while they run.</source>
        <translation>两次调用之间仍存活的数组：{partition} 设备不说明程序运行时占用多少。</translation>
    </message>
    <message>
        <source>The axes in `axes` are gone from the result.</source>
        <translation>结果不再有 `axes` 中的轴。</translation>
    </message>
    <message>
        <source>The axes that `vmap` maps over differ in size.</source>
        <translation>`vmap` 所映射的轴大小不一。</translation>
    </message>
    <message>
        <source>The backward rule of a `custom_vjp` does not return what it must.</source>
        <translation>某个 `custom_vjp` 的反向规则没有返回它必须返回的内容。</translation>
    </message>
    <message>
        <source>The block cipher behind JAX's default random numbers.</source>
        <translation>JAX 默认随机数背后的分组密码。</translation>
    </message>
    <message>
        <source>The body of a loop returns a carry of another type than it is given.</source>
        <translation>循环体返回的进位值与它得到的类型不同。</translation>
    </message>
    <message>
        <source>The branches of a conditional return different types.</source>
        <translation>条件的各分支返回不同的类型。</translation>
    </message>
    <message>
        <source>The branches of {name} are not all known.</source>
        <translation>{name} 的分支并非全部已知。</translation>
    </message>
    <message>
        <source>The bytes of a fusion are shared among the instructions inside of it as their own would be, and what several equations hold is shared evenly.</source>
        <translation>一个融合的字节数按其内部各条指令自身的字节数分摊，由几个方程共有的部分平均分摊。</translation>
    </message>
    <message>
        <source>The call</source>
        <translation>这个调用</translation>
    </message>
    <message>
        <source>The call at several sizes: eager and jit in random pairs, compile time, work, bytes. Both axes are logarithmic, so a straight line is a power of the size.</source>
        <translation>用多种大小测量这个调用：急切执行与 jit 随机成对，编译时间，工作量，字节数。两个轴都是对数轴，所以直线表示大小的幂。</translation>
    </message>
    <message>
        <source>The call cannot be read: {reason}.</source>
        <translation>无法读懂这个调用：{reason}。</translation>
    </message>
    <message>
        <source>The call draws random numbers; in double precision these are other numbers.</source>
        <translation>这个调用会抽取随机数；在双精度下抽到的是不同的数。</translation>
    </message>
    <message>
        <source>The call ends the program, and has no result.</source>
        <translation>该调用会结束程序，没有结果。</translation>
    </message>
    <message>
        <source>The call has no argument {path}.</source>
        <translation>这个调用没有参数 {path}。</translation>
    </message>
    <message>
        <source>The call has no array argument to stack.</source>
        <translation>这个调用没有可以堆叠的数组参数。</translation>
    </message>
    <message>
        <source>The call has no array argument.</source>
        <translation>这个调用没有数组参数。</translation>
    </message>
    <message>
        <source>The call has no first argument to feed its result into.</source>
        <translation>这个调用没有可以接收其结果的第一个参数。</translation>
    </message>
    <message>
        <source>The call has no transform.</source>
        <translation>这个调用没有变换。</translation>
    </message>
    <message>
        <source>The call has none.</source>
        <translation>这个调用没有。</translation>
    </message>
    <message>
        <source>The call in the bar against another call, another version of the file, or the same made in another way: measured in random pairs, results compared bit by bit.</source>
        <translation>把栏中的调用与另一个调用、文件的另一个版本，或以另一种方式生成的同一调用相比：随机成对测量，结果逐位比较。</translation>
    </message>
    <message>
        <source>The call returns before the work is done.</source>
        <translation>调用在工作完成之前就返回。</translation>
    </message>
    <message>
        <source>The call takes no gradient, so what remat keeps for one changes little.</source>
        <translation>这个调用不求梯度，所以 remat 为梯度保留什么影响很小。</translation>
    </message>
    <message>
        <source>The call that this makes</source>
        <translation>由此得到的调用</translation>
    </message>
    <message>
        <source>The call uses a name that a module does not have.</source>
        <translation>调用中用了一个模块所没有的名称。</translation>
    </message>
    <message>
        <source>The call uses no name {vary}: it would be the same at every size.</source>
        <translation>这个调用没有用到名称 {vary}：它在每种大小下都一样。</translation>
    </message>
    <message>
        <source>The call was measured in {seconds}; these ceilings allow {best} at best: {why}</source>
        <translation>该调用实测用时 {seconds}；按这些上限至少需要 {best}：{why}</translation>
    </message>
    <message>
        <source>The call {call} is not a Python expression: {why}{place}.</source>
        <translation>调用 {call} 不是 Python 表达式：{why}{place}。</translation>
    </message>
    <message>
        <source>The capture does not say on which devices arrays lie.</source>
        <translation>捕获没有说明数组位于哪些设备上。</translation>
    </message>
    <message>
        <source>The capture has no compiled program.</source>
        <translation>这个捕获没有编译后的程序。</translation>
    </message>
    <message>
        <source>The capture has no stage {name}.</source>
        <translation>这个捕获没有阶段 {name}。</translation>
    </message>
    <message>
        <source>The capture holds no memory plan.</source>
        <translation>捕获中没有内存计划。</translation>
    </message>
    <message>
        <source>The carry keeps its type; another type raises a TypeError.</source>
        <translation>携带的状态保持自己的类型；类型不同会抛出 TypeError。</translation>
    </message>
    <message>
        <source>The check names the list and the line that changed it, and the jaxpr has no trace of the append, because JAX records only operations on arrays. The append ran while tracing and never again. `add_captured_bias` has one argument and one baked-in constant: the array as it was when it was traced. `stale_bias` runs the experiment, and its result still uses the old bias. `add_bias` takes the bias as an argument, so a new bias needs no new trace.</source>
        <translation>检查会指出这个列表和改变它的那一行；jaxpr 中没有追加的痕迹，因为 JAX 只记录对数组的运算。追加在追踪时运行过，此后再也没有。`add_captured_bias` 有一个参数和一个写死的常量：追踪时的那个数组。`stale_bias` 运行这个实验，它的结果仍使用旧的偏置。`add_bias` 把偏置作为参数，所以换一个偏置不需要重新追踪。</translation>
    </message>
    <message>
        <source>The code asks for input.</source>
        <translation>代码要求输入。</translation>
    </message>
    <message>
        <source>The code asks for more devices than there are.</source>
        <translation>代码要求的设备比现有的多。</translation>
    </message>
    <message>
        <source>The code changed JAX's configuration: {changes}.</source>
        <translation>代码更改了 JAX 的配置：{changes}。</translation>
    </message>
    <message>
        <source>The code closed the connection to jaxscope.</source>
        <translation>代码关闭了与 jaxscope 的连接。</translation>
    </message>
    <message>
        <source>The code ended the process with exit status {exit_code}.</source>
        <translation>代码以退出状态 {exit_code} 结束了进程。</translation>
    </message>
    <message>
        <source>The code is not to blame: it did not run. Does something on this machine {does} of jaxscope's?</source>
        <translation>问题不在代码：它没有运行。这台机器上是否有别的东西对 jaxscope 的进程或管道做了这样的事：{does}？</translation>
    </message>
    <message>
        <source>The code is not valid Python.</source>
        <translation>这段代码不是有效的 Python。</translation>
    </message>
    <message>
        <source>The code of the processor, or the last form before it.</source>
        <translation>处理器的代码，或在它之前的最后一种形式。</translation>
    </message>
    <message>
        <source>The code printed more than 64 MiB.</source>
        <translation>代码的输出超过了 64 MiB。</translation>
    </message>
    <message>
        <source>The code raised {kind} while {doing}.</source>
        <translation>{doing} 时，代码抛出了 {kind}。</translation>
    </message>
    <message>
        <source>The code raised {kind}, which cannot be shown.</source>
        <translation>代码抛出了 {kind}，它无法显示。</translation>
    </message>
    <message>
        <source>The code raised {kind}.</source>
        <translation>代码抛出了 {kind}。</translation>
    </message>
    <message>
        <source>The code recurses too deeply.</source>
        <translation>代码的递归太深。</translation>
    </message>
    <message>
        <source>The code replaced Python's clock; the real one was used to measure.</source>
        <translation>代码替换了 Python 的时钟；测量使用的是真正的时钟。</translation>
    </message>
    <message>
        <source>The code replaced time functions of Python: its own timings may be off.</source>
        <translation>代码替换了 Python 的时间函数：它自己的计时可能不准。</translation>
    </message>
    <message>
        <source>The code set jax_num_cpu_devices to {num_devices}: the program is not for the {num_wanted} of the target.</source>
        <translation>代码把 jax_num_cpu_devices 设为 {num_devices}：程序不是面向目标的 {num_wanted} 个设备。</translation>
    </message>
    <message>
        <source>The code stops at a breakpoint.</source>
        <translation>代码停在一个断点上。</translation>
    </message>
    <message>
        <source>The comparison failed.</source>
        <translation>比较失败了。</translation>
    </message>
    <message>
        <source>The compiled program has no graph.</source>
        <translation>编译后的程序没有图。</translation>
    </message>
    <message>
        <source>The compiled program has no schedule: its order is not known.</source>
        <translation>编译后的程序没有调度：不知道它的次序。</translation>
    </message>
    <message>
        <source>The compiler knows no target {target}.</source>
        <translation>编译器不认识目标 {target}。</translation>
    </message>
    <message>
        <source>The complex conjugate of every element.</source>
        <translation>每个元素的共轭复数。</translation>
    </message>
    <message>
        <source>The condition is a single value, or has the shape of the cases; the result has it too.</source>
        <translation>条件是单个值，或者与各种情况形状相同；结果也是这个形状。</translation>
    </message>
    <message>
        <source>The condition of a loop or a conditional is no single boolean.</source>
        <translation>循环或条件的判断不是单个布尔值。</translation>
    </message>
    <message>
        <source>The connection to {host} was lost.</source>
        <translation>与 {host} 的连接已断开。</translation>
    </message>
    <message>
        <source>The copy before: [</source>
        <translation>上一个副本：[</translation>
    </message>
    <message>
        <source>The cosine of every element.</source>
        <translation>每个元素的余弦。</translation>
    </message>
    <message>
        <source>The costs are of programs for different targets ({ours} and {theirs}): each counts its own instructions, per device, and leaves out what its own libraries do.</source>
        <translation>这些开销属于为不同目标编译的程序（{ours} 和 {theirs}）：各自按每个设备计自己的指令，不计自己的库所做的工作。</translation>
    </message>
    <message>
        <source>The cube root of every element.</source>
        <translation>每个元素的立方根。</translation>
    </message>
    <message>
        <source>The custom rule of {id} takes its place in {transform}.</source>
        <translation>{id} 的自定义规则在 {transform} 中取代了它。</translation>
    </message>
    <message>
        <source>The derivative along one direction, computed forwards.</source>
        <translation>沿一个方向的导数，向前计算。</translation>
    </message>
    <message>
        <source>The derivative at (0, 0) is NaN.</source>
        <translation>在 (0, 0) 处的导数是 NaN。</translation>
    </message>
    <message>
        <source>The derivative at 0 is 1.</source>
        <translation>在 0 处的导数是 1。</translation>
    </message>
    <message>
        <source>The derivative at 0 is inf.</source>
        <translation>在 0 处的导数是 inf。</translation>
    </message>
    <message>
        <source>The derivative of eigenvectors with equal eigenvalues is NaN.</source>
        <translation>特征值相等时，特征向量的导数是 NaN。</translation>
    </message>
    <message>
        <source>The derivative of the logarithm of the gamma function, for every element.</source>
        <translation>伽马函数的对数的导数，对每个元素。</translation>
    </message>
    <message>
        <source>The device's time of {name} could not be recorded: {why}</source>
        <translation>无法记录 {name} 在设备上的时间：{why}</translation>
    </message>
    <message>
        <source>The dimensions in `dimensions` are gone from the result.</source>
        <translation>结果不再有 `dimensions` 中的维度。</translation>
    </message>
    <message>
        <source>The dimensions in `dimensions`, all of size one, are gone from the result.</source>
        <translation>结果不再有 `dimensions` 中的维度，它们的大小都是一。</translation>
    </message>
    <message>
        <source>The dtypes do not fit together.</source>
        <translation>dtype 不匹配。</translation>
    </message>
    <message>
        <source>The dtypes of the arguments do not fit together.</source>
        <translation>各参数的 dtype 不匹配。</translation>
    </message>
    <message>
        <source>The dump holds the modules of some passes only. A row 'all up to' a pass is the work of that pass and of all others since the module before.</source>
        <translation>转储中只有部分 pass 的模块。写着“直到”某个 pass 的行，是那个 pass 以及上一个模块之后所有其他 pass 的工作。</translation>
    </message>
    <message>
        <source>The end of the file is missing.</source>
        <translation>文件的末尾缺失。</translation>
    </message>
    <message>
        <source>The end · Space, → or N: from the beginning · ←: back</source>
        <translation>结束 · 空格、→ 或 N：从头开始 · ←：后退</translation>
    </message>
    <message>
        <source>The end: the results</source>
        <translation>终点：结果</translation>
    </message>
    <message>
        <source>The entry {name} is missing.</source>
        <translation>缺少条目 {name}。</translation>
    </message>
    <message>
        <source>The equations give the same bits one by one and compiled together, so the eager run of the function must compute something else than its equations do.</source>
        <translation>各方程逐个运行与一起编译得到的位完全相同，所以函数急切执行时算的一定与它的方程不同。</translation>
    </message>
    <message>
        <source>The equations of the base function were not compared.</source>
        <translation>没有比较基础函数的方程。</translation>
    </message>
    <message>
        <source>The equations one by one: {kernels}, {moved} read and written. Optimized: {num_fused}, {moved_fused}{on_each}.</source>
        <translation>方程逐个运行：{kernels}，读写 {moved}。优化后：{num_fused}，{moved_fused}{on_each}。</translation>
    </message>
    <message>
        <source>The equations one by one: {kernels}. Optimized: {num_fused}{on_each}.</source>
        <translation>方程逐个运行：{kernels}。优化后：{num_fused}{on_each}。</translation>
    </message>
    <message>
        <source>The error function of every element.</source>
        <translation>每个元素的误差函数值。</translation>
    </message>
    <message>
        <source>The export failed inside jaxscope.</source>
        <translation>导出在 jaxscope 内部失败了。</translation>
    </message>
    <message>
        <source>The export was stopped.</source>
        <translation>导出已停止。</translation>
    </message>
    <message>
        <source>The figure of the whole stage has more bytes: XLA counts the pointers of tuples, such as that of several results, and no kernel writes them.</source>
        <translation>整个阶段的数字字节数更多：XLA 计入了元组的指针，例如由多个结果组成的元组，而没有内核写出它们。</translation>
    </message>
    <message>
        <source>The file</source>
        <translation>这个文件</translation>
    </message>
    <message>
        <source>The file called sys.exit({shown}).</source>
        <translation>这个文件调用了 sys.exit({shown})。</translation>
    </message>
    <message>
        <source>The file defines no functions.</source>
        <translation>文件没有定义函数。</translation>
    </message>
    <message>
        <source>The file has changed on disk since. Save as another one.</source>
        <translation>此后磁盘上的文件已改变。请另存为其他文件。</translation>
    </message>
    <message>
        <source>The file has {num_splitlines}.</source>
        <translation>文件有 {num_splitlines}。</translation>
    </message>
    <message>
        <source>The file is a notebook. Save as a Python file.</source>
        <translation>这个文件是 notebook。请另存为 Python 文件。</translation>
    </message>
    <message>
        <source>The file is damaged, or nested more deeply than the parser can take.</source>
        <translation>文件已损坏，或嵌套深度超出解析器的能力。</translation>
    </message>
    <message>
        <source>The file is no longer there. Save as another one.</source>
        <translation>文件已不存在。请另存为其他文件。</translation>
    </message>
    <message>
        <source>The file offers no call; jaxscope proposed {text}.</source>
        <translation>文件没有提供调用；jaxscope 提出了 {text}。</translation>
    </message>
    <message>
        <source>The file {basename} cannot be read.</source>
        <translation>无法读取文件 {basename}。</translation>
    </message>
    <message>
        <source>The files that were opened hold no HLO after optimization.</source>
        <translation>打开的文件中没有优化后的 HLO。</translation>
    </message>
    <message>
        <source>The files that were opened hold no HLO before optimization.</source>
        <translation>打开的文件中没有优化前的 HLO。</translation>
    </message>
    <message>
        <source>The files that were opened hold no StableHLO of it.</source>
        <translation>打开的文件中没有它的 StableHLO。</translation>
    </message>
    <message>
        <source>The files that were opened hold no buffer assignment (…-buffer-assignment.txt).</source>
        <translation>打开的文件中没有缓冲区分配（…-buffer-assignment.txt）。</translation>
    </message>
    <message>
        <source>The files that were opened hold no machine code.</source>
        <translation>打开的文件中没有机器码。</translation>
    </message>
    <message>
        <source>The first call after compiling.</source>
        <translation>编译之后的第一次调用。</translation>
    </message>
    <message>
        <source>The first equation that makes NaN is {told}, which reads Inf</source>
        <translation>第一个产生 NaN 的方程是 {told}，它读取了 Inf</translation>
    </message>
    <message>
        <source>The first equation that makes NaN which may come into them is {told}, which reads Inf</source>
        <translation>第一个产生可能进入结果的 NaN 的方程是 {told}，它读取 Inf</translation>
    </message>
    <message>
        <source>The first equation that makes such a value of finite ones is {told}</source>
        <translation>第一个由有限值产生这种值的方程是 {told}</translation>
    </message>
    <message>
        <source>The first equation that makes such a value of finite ones which may come into them is {told}</source>
        <translation>第一个由有限值产生可能进入结果的这种值的方程是 {told}</translation>
    </message>
    <message>
        <source>The first equation that makes {kind}</source>
        <translation>第一个产生 {kind} 的方程</translation>
    </message>
    <message>
        <source>The first equation that makes {kind} which may come into them</source>
        <translation>第一个产生可能进入其中的 {kind} 的方程</translation>
    </message>
    <message>
        <source>The first half of a QR decomposition; done by a library.</source>
        <translation>QR 分解的前一半；由库完成。</translation>
    </message>
    <message>
        <source>The first result is the next state.</source>
        <translation>第一个结果是下一个状态。</translation>
    </message>
    <message>
        <source>The first used {name} {ours}, the second {name} {theirs}: {meaning}.</source>
        <translation>第一个用的是{name} {ours}，第二个是{name} {theirs}：{meaning}。</translation>
    </message>
    <message>
        <source>The first value is taken where the condition is true; in `select_n` it is the other way round.</source>
        <translation>条件为真时取第一个值；`select_n` 则相反。</translation>
    </message>
    <message>
        <source>The first {kind} is made after it, by {id} ({operation}): asked for once more, the run goes there.</source>
        <translation>第一个 {kind} 在其后由 {id}（{operation}）产生：再次执行此命令即可前往。</translation>
    </message>
    <message>
        <source>The first {shown} of {whole}: type a slice to see others.</source>
        <translation>{whole} 中最前面的 {shown}：输入切片可以查看其他部分。</translation>
    </message>
    <message>
        <source>The forward pass is shared.</source>
        <translation>前向过程是共用的。</translation>
    </message>
    <message>
        <source>The forward rule of a `custom_vjp` does not return what it must.</source>
        <translation>某个 `custom_vjp` 的前向规则没有返回它必须返回的内容。</translation>
    </message>
    <message>
        <source>The function inside the transforms of the call.</source>
        <translation>调用的各层变换里面的那个函数。</translation>
    </message>
    <message>
        <source>The function may have no parameter of this name, and the argument is no array.</source>
        <translation>函数可能没有这个名称的参数，而且该参数不是数组。</translation>
    </message>
    <message>
        <source>The function returns something that is no array.</source>
        <translation>函数返回了不是数组的内容。</translation>
    </message>
    <message>
        <source>The function uses a tracer that leaked out of an earlier trace.</source>
        <translation>函数用到了从先前的追踪中泄漏出来的追踪器。</translation>
    </message>
    <message>
        <source>The function uses what changes from call to call, such as random numbers of the host or a counter; a compiled call repeats what tracing saw.</source>
        <translation>函数使用了每次调用都会变化的内容，例如主机的随机数或计数器；编译后的调用重复追踪时看到的内容。</translation>
    </message>
    <message>
        <source>The function {name} is drawn. The module has others that no function calls, which are in the text alone: {others}.</source>
        <translation>绘制的是函数 {name}。模块中还有没有函数调用的其他函数，它们只在文本中：{others}。</translation>
    </message>
    <message>
        <source>The function {name} jumps between {blocks:,} blocks, of which the first is drawn.</source>
        <translation>函数 {name} 在 {blocks:,} 个块之间跳转，只绘制了第一个块。</translation>
    </message>
    <message>
        <source>The functions of the file, and the calls it offers</source>
        <translation>文件中的函数，以及它提供的调用</translation>
    </message>
    <message>
        <source>The fusions are being worked out …</source>
        <translation>正在分析融合 …</translation>
    </message>
    <message>
        <source>The fusions are looked into once the run has ended.</source>
        <translation>运行结束后再分析融合。</translation>
    </message>
    <message>
        <source>The generator `{name}`</source>
        <translation>生成器 `{name}`</translation>
    </message>
    <message>
        <source>The gradient has other inputs than the call.</source>
        <translation>梯度的输入与调用的不同。</translation>
    </message>
    <message>
        <source>The gradient is 0 whatever the arguments are: JAX made a constant of it. All that leads from them to the result passes through {named}, of which the derivative is 0.</source>
        <translation>无论参数是什么，梯度都是 0：JAX 把它变成了常量。从参数通向结果的一切都要经过 {named}，其导数为 0。</translation>
    </message>
    <message>
        <source>The gradient is not finite</source>
        <translation>梯度不是有限值</translation>
    </message>
    <message>
        <source>The gradient of a function with one number as result.</source>
        <translation>结果为一个数的函数的梯度。</translation>
    </message>
    <message>
        <source>The gradient of max pooling.</source>
        <translation>最大池化的梯度。</translation>
    </message>
    <message>
        <source>The gradient of max pooling: sends every value to the place of its window's maximum.</source>
        <translation>最大池化的梯度：把每个值送到它的窗口中最大值所在的位置。</translation>
    </message>
    <message>
        <source>The gradient of this program would keep for its backward part: {much}; it is not compiled, and XLA's plan is without it</source>
        <translation>这个程序的梯度会为它的反向部分保留：{much}；它没有被编译，XLA 的计划不包括它</translation>
    </message>
    <message>
        <source>The gradient was not measured: the call applies transforms of its own; time one that takes the gradient.</source>
        <translation>没有测量梯度：这个调用自己应用了变换；请测量一个取梯度的调用。</translation>
    </message>
    <message>
        <source>The gradient was not measured: the call has no floating-point array.</source>
        <translation>没有测量梯度：这个调用没有浮点数组。</translation>
    </message>
    <message>
        <source>The graph could not be laid out: {error}</source>
        <translation>无法为图布局：{error}</translation>
    </message>
    <message>
        <source>The graph of the stage {name} is not there to follow.</source>
        <translation>没有阶段 {name} 的图，无法追查。</translation>
    </message>
    <message>
        <source>The hyperbolic cosine of every element.</source>
        <translation>每个元素的双曲余弦。</translation>
    </message>
    <message>
        <source>The hyperbolic sine of every element.</source>
        <translation>每个元素的双曲正弦。</translation>
    </message>
    <message>
        <source>The hyperbolic tangent of every element.</source>
        <translation>每个元素的双曲正切。</translation>
    </message>
    <message>
        <source>The imaginary part of every element.</source>
        <translation>每个元素的虚部。</translation>
    </message>
    <message>
        <source>The interpreter of your file may have other versions.</source>
        <translation>您的文件所用的解释器可能有其他版本。</translation>
    </message>
    <message>
        <source>The interpreter {python} cannot be started.</source>
        <translation>无法启动解释器 {python}。</translation>
    </message>
    <message>
        <source>The inverse cosine of every element.</source>
        <translation>每个元素的反余弦。</translation>
    </message>
    <message>
        <source>The inverse error function; it turns uniform random numbers into normal ones.</source>
        <translation>误差函数的反函数；它把均匀分布的随机数变成正态分布的。</translation>
    </message>
    <message>
        <source>The inverse hyperbolic cosine of every element.</source>
        <translation>每个元素的反双曲余弦。</translation>
    </message>
    <message>
        <source>The inverse hyperbolic sine of every element.</source>
        <translation>每个元素的反双曲正弦。</translation>
    </message>
    <message>
        <source>The inverse hyperbolic tangent of every element.</source>
        <translation>每个元素的反双曲正切。</translation>
    </message>
    <message>
        <source>The inverse sine of every element.</source>
        <translation>每个元素的反正弦。</translation>
    </message>
    <message>
        <source>The inverse tangent of every element.</source>
        <translation>每个元素的反正切。</translation>
    </message>
    <message>
        <source>The kernel is not flipped: what neural networks call a convolution is a correlation.</source>
        <translation>卷积核不翻转：神经网络所说的卷积其实是互相关。</translation>
    </message>
    <message>
        <source>The kernels are not known.</source>
        <translation>内核未知。</translation>
    </message>
    <message>
        <source>The kernels of a call are shown here once it has run.</source>
        <translation>调用运行完毕后，这里会显示它的内核。</translation>
    </message>
    <message>
        <source>The key of the number {seed:.0f} is made inside of a loop: each round draws the same numbers.</source>
        <translation>由数 {seed:.0f} 得到的密钥在循环里面生成：每一轮抽到同样的数。</translation>
    </message>
    <message>
        <source>The key of the number {seed:.0f} is made {where}: what is drawn from the two is not independent.</source>
        <translation>由数 {seed:.0f} 得到的密钥 {where} 生成：从两者抽到的数并不独立。</translation>
    </message>
    <message>
        <source>The key of {host} is not the known one, or not known yet.</source>
        <translation>{host} 的密钥与已知的不同，或尚未知晓。</translation>
    </message>
    <message>
        <source>The keys look alike; JAX's own explanation is beside the signature.</source>
        <translation>这些键看起来一样；JAX 自己的说明在签名旁边。</translation>
    </message>
    <message>
        <source>The kind of device that the call is compiled for, here or elsewhere.</source>
        <translation>调用所面向的设备种类，在本机或别处。</translation>
    </message>
    <message>
        <source>The kind of device to compile for; aot: compiles for a chip that is not here, ssh://host/gpu:0 is one of another machine's</source>
        <translation>为哪种设备编译；aot: 为不在此处的芯片编译，ssh://host/gpu:0 是另一台机器的设备</translation>
    </message>
    <message>
        <source>The larger of two arrays, element by element.</source>
        <translation>逐元素取两个数组中较大的值。</translation>
    </message>
    <message>
        <source>The largest element along axes.</source>
        <translation>沿若干轴的最大元素。</translation>
    </message>
    <message>
        <source>The largest element of every window.</source>
        <translation>每个窗口中的最大元素。</translation>
    </message>
    <message>
        <source>The largest elements and their positions.</source>
        <translation>最大的若干元素和它们的位置。</translation>
    </message>
    <message>
        <source>The largest elements, found approximately; made for TPUs.</source>
        <translation>近似地找出最大的若干元素；为 TPU 而设。</translation>
    </message>
    <message>
        <source>The largest value over all devices.</source>
        <translation>所有设备上的最大值。</translation>
    </message>
    <message>
        <source>The last dimension becomes `k`, in both results.</source>
        <translation>在两个结果中，最后一维都变成 `k`。</translation>
    </message>
    <message>
        <source>The last dimension, of size two for the default kind, is gone from the result.</source>
        <translation>结果不再有最后一维，它在默认种类中大小为二。</translation>
    </message>
    <message>
        <source>The last part</source>
        <translation>最后一部分</translation>
    </message>
    <message>
        <source>The last two dimensions are the matrix; those before are a batch.</source>
        <translation>最后两维是矩阵；前面的各维是批次。</translation>
    </message>
    <message>
        <source>The last view stays.</source>
        <translation>最后一个视图保留。</translation>
    </message>
    <message>
        <source>The layout was stopped.</source>
        <translation>布局已停止。</translation>
    </message>
    <message>
        <source>The lessons are not in this installation.</source>
        <translation>这个安装中没有课程。</translation>
    </message>
    <message>
        <source>The limit {name} must be positive, not {limit}.</source>
        <translation>限制 {name} 必须为正，而不是 {limit}。</translation>
    </message>
    <message>
        <source>The limits are single numbers, or have the shape of x; the result has it too.</source>
        <translation>上下限是单个数，或者与 x 形状相同；结果也与 x 形状相同。</translation>
    </message>
    <message>
        <source>The linear part of a function with a hand-written derivative.</source>
        <translation>一个导数由人手写的函数的线性部分。</translation>
    </message>
    <message>
        <source>The logarithm of a sigmoid: where the sigmoid rounds to 0 it is -inf, with a NaN gradient, and where it rounds to 1 all digits are lost.</source>
        <translation>sigmoid 的对数：sigmoid 舍入为 0 时它是 -inf，梯度是 NaN；舍入为 1 时所有位数都丢失。</translation>
    </message>
    <message>
        <source>The logarithm of the gamma function of every element.</source>
        <translation>每个元素的伽马函数的对数。</translation>
    </message>
    <message>
        <source>The logarithm to the base 2 of every element.</source>
        <translation>每个元素以 2 为底的对数。</translation>
    </message>
    <message>
        <source>The loop carries a sum of {terms:,} terms in {dtype}, which has {bits} bits: once it is {times:,} times as large as a term, adding the term changes nothing.</source>
        <translation>这个循环用 {dtype} 携带 {terms:,} 项之和，而这种类型有 {bits} 位：一旦和达到一项的 {times:,} 倍，再加上一项就不改变任何东西。</translation>
    </message>
    <message>
        <source>The loop has no round.</source>
        <translation>循环一轮也没有。</translation>
    </message>
    <message>
        <source>The loop has {rounds:,} rounds: there is no {number:,}.</source>
        <translation>循环有 {rounds:,} 轮：没有第 {number:,} 轮。</translation>
    </message>
    <message>
        <source>The loop is one of several by vmap: it is compiled as a whole.</source>
        <translation>这个循环因 vmap 而是几个循环之一：它作为整体编译。</translation>
    </message>
    <message>
        <source>The loop is over: {rounds} added no equation.</source>
        <translation>循环结束：{rounds}没有增加方程。</translation>
    </message>
    <message>
        <source>The loop is over: {rounds} added {equations}.</source>
        <translation>循环结束：{rounds}增加了 {equations}。</translation>
    </message>
    <message>
        <source>The loop is unrolled while tracing, so its jaxpr grows with the batch, and so do the times of tracing and compiling. The vmapped jaxpr has the same few equations for every batch size: the vector product became a matrix product. `in_axes=(0, None, None)` says that only the examples have a batch axis and that all of them share weights and bias. All versions agree on the numbers.</source>
        <translation>循环在追踪时展开，所以它的 jaxpr 随批次增长，追踪和编译的时间也一样。用 vmap 的 jaxpr 对任何批次大小都是同样的几个方程：向量乘积变成了矩阵乘积。`in_axes=(0, None, None)` 表示只有样本有批次轴，它们共用权重和偏置。所有版本得到的数一致。</translation>
    </message>
    <message>
        <source>The loop of line {line} was unrolled: {rounds:,} rounds of the same operations, {needs}, are {size:,} of the {total:,} equations. One round of {of_a_round:,} would do; tracing and compiling take their time for every equation.</source>
        <translation>第 {line} 行的循环被展开了：{rounds:,} 轮相同的运算（{needs}）占 {total:,} 个方程中的 {size:,} 个。只要一轮的 {of_a_round:,} 个就够了；每个方程都要花追踪和编译的时间。</translation>
    </message>
    <message>
        <source>The machine is busy: load {value} on {processors} processors.</source>
        <translation>机器很忙：{processors} 个处理器上的负载为 {value}。</translation>
    </message>
    <message>
        <source>The machine is busy: other programs used {value} of {processors} processors.</source>
        <translation>机器很忙：其他程序占用了 {processors} 个处理器中的 {value} 个。</translation>
    </message>
    <message>
        <source>The machine runs on battery, which may lower its clock.</source>
        <translation>机器在用电池运行，时钟频率可能降低。</translation>
    </message>
    <message>
        <source>The mean of squares minus the square of the mean: where the mean is large against the spread, the two are alike and the difference is rounding, which can be negative.</source>
        <translation>平方的均值减去均值的平方：均值远大于离散程度时，两者相近，差值只是舍入误差，还可能是负的。</translation>
    </message>
    <message>
        <source>The median ratio is within 2 % of 1</source>
        <translation>比值的中位数与 1 相差不到 2 %</translation>
    </message>
    <message>
        <source>The memory of a call is shown here once it has run.</source>
        <translation>调用运行完毕后，这里会显示它的内存。</translation>
    </message>
    <message>
        <source>The middle half of the calls spreads over {value} of the median.</source>
        <translation>中间一半的调用分布在中位数的 {value} 范围内。</translation>
    </message>
    <message>
        <source>The module has no function with a body: nothing is drawn.</source>
        <translation>模块中没有带函数体的函数：没有可绘制的内容。</translation>
    </message>
    <message>
        <source>The module that XLA compiled; the one that it received, as if each instruction were a kernel; or the work of each row in both.</source>
        <translation>XLA 编译出的模块；它收到的模块，把每条指令当作一个内核；或者两者中每一行的工作量。</translation>
    </message>
    <message>
        <source>The module {name} is not installed for {interpreter}.</source>
        <translation>没有为 {interpreter} 安装模块 {name}。</translation>
    </message>
    <message>
        <source>The modules are too large; {sent} passes were recorded.</source>
        <translation>模块太大；记录了 {sent} 个 pass。</translation>
    </message>
    <message>
        <source>The modules around this pass are not kept: all of them together are too large, or the capture comes from a file that holds texts only.</source>
        <translation>没有保留这个 pass 前后的模块：全部加起来太大，或捕获来自只含文本的文件。</translation>
    </message>
    <message>
        <source>The modules around this pass cannot be drawn: {error}.</source>
        <translation>这个 pass 前后的模块无法绘制：{error}。</translation>
    </message>
    <message>
        <source>The modules could not be compared, which is a bug in jaxscope: {told}</source>
        <translation>无法比较这些模块，这是 jaxscope 的一个缺陷：{told}</translation>
    </message>
    <message>
        <source>The most bytes that are alive at once.</source>
        <translation>同时存活的最多字节数。</translation>
    </message>
    <message>
        <source>The natural logarithm of every element.</source>
        <translation>每个元素的自然对数。</translation>
    </message>
    <message>
        <source>The next copy: ]</source>
        <translation>下一个副本：]</translation>
    </message>
    <message>
        <source>The next representable number towards another one.</source>
        <translation>朝另一个数方向的下一个可表示的数。</translation>
    </message>
    <message>
        <source>The notebook</source>
        <translation>这个 notebook</translation>
    </message>
    <message>
        <source>The number of the branch for the platform that is compiled for.</source>
        <translation>与编译所面向的平台对应的分支编号。</translation>
    </message>
    <message>
        <source>The number of this device along a mesh axis.</source>
        <translation>本设备沿网格的一个轴的编号。</translation>
    </message>
    <message>
        <source>The number of this device among the partitions.</source>
        <translation>本设备在各分区中的编号。</translation>
    </message>
    <message>
        <source>The number of this replica.</source>
        <translation>本副本的编号。</translation>
    </message>
    <message>
        <source>The numbers are computed for the page, so the call has to run.</source>
        <translation>这一页的数值需要计算，所以必须运行这个调用。</translation>
    </message>
    <message>
        <source>The one found before</source>
        <translation>上一个查找结果</translation>
    </message>
    <message>
        <source>The operation at {place}</source>
        <translation>{place} 处的运算</translation>
    </message>
    <message>
        <source>The operation itself counts besides what is in it</source>
        <translation>操作本身在其内部的数量之外另计一个</translation>
    </message>
    <message>
        <source>The optimized module names every exchange. `pmap` runs the function once on each device, and its `psum` is an `all-reduce`. In `split_product` every device multiplies its piece of the inner dimension, and again an `all-reduce` adds up the pieces. `gram` says nothing of exchanges: it only asks for rows to be spread, and the compiler inserts the `all-gather` that the product needs. Types and bytes in the module are those of one device's piece. `scattered_sums` and `rows_to_columns` show the two other exchanges, `reduce-scatter` and `all-to-all`. In `ring_product` pieces travel from neighbour to neighbour, a `collective-permute` in each round of a loop.</source>
        <translation>优化后的模块会写出每一次交换。`pmap` 在每个设备上把函数运行一次，它的 `psum` 是一个 `all-reduce`。在 `split_product` 中，每个设备乘自己那一块内维，同样由一个 `all-reduce` 把各块相加。`gram` 没有提到交换：它只要求把行分散开，由编译器插入乘积所需的 `all-gather`。模块中的类型和字节数是一个设备那一块的。`scattered_sums` 和 `rows_to_columns` 展示另外两种交换：`reduce-scatter` 和 `all-to-all`。在 `ring_product` 中，数据块在相邻设备之间传递，循环的每一轮有一个 `collective-permute`。</translation>
    </message>
    <message>
        <source>The optimized program has no instruction of the name of {num_foreign:,} of the {num_kernels:,} kernels ({such}). Where several processes wrote to one folder, kernels of an earlier one are among them.</source>
        <translation>{num_kernels:,} 个内核中有 {num_foreign:,} 个（{such}）在优化后的程序中没有同名的指令。如果多个进程写入了同一个文件夹，其中就有先前进程的内核。</translation>
    </message>
    <message>
        <source>The order is read from the program's text, which is missing.</source>
        <translation>次序要从程序的文本中读出，而文本缺失。</translation>
    </message>
    <message>
        <source>The order is unclear at {num_unclear} of {num_sizes} sizes; {faster} is faster than {slower} at {num_clear}.</source>
        <translation>{num_sizes} 个大小中有 {num_unclear} 个的快慢次序不明确；{num_clear} 个大小下 {faster} 比 {slower} 快。</translation>
    </message>
    <message>
        <source>The other side: {text} …</source>
        <translation>另一方：{text} …</translation>
    </message>
    <message>
        <source>The page has the first {num_steps:,} equations.</source>
        <translation>页面有前 {num_steps:,} 个方程。</translation>
    </message>
    <message>
        <source>The parser of jaxlib died of {kind} while it read {opened}.</source>
        <translation>jaxlib 的解析器在读取 {opened} 时因 {kind} 而终止。</translation>
    </message>
    <message>
        <source>The part of a gradient that carries derivatives back to the arguments.</source>
        <translation>梯度程序中把导数传回到参数的部分。</translation>
    </message>
    <message>
        <source>The part of a gradient that computes the function itself.</source>
        <translation>梯度程序中计算函数本身的部分。</translation>
    </message>
    <message>
        <source>The part of the whole program that comes from each line. A stronger shade or a longer bar means more.</source>
        <translation>整个程序中来自每一行的部分。底色越深或条越长，所占越多。</translation>
    </message>
    <message>
        <source>The passes are a list; each has its own text.</source>
        <translation>各 pass 是一个列表；每个都有自己的文本。</translation>
    </message>
    <message>
        <source>The passes' times are too many: more than {max_spans:,}.</source>
        <translation>pass 的时间太多：超过 {max_spans:,} 个。</translation>
    </message>
    <message>
        <source>The path is too long.</source>
        <translation>路径太长。</translation>
    </message>
    <message>
        <source>The picture is on the clipboard.</source>
        <translation>图片已复制到剪贴板。</translation>
    </message>
    <message>
        <source>The pipeline shows one stage for each transform. The jaxpr grows with each order, though the mathematics gets simpler, and XLA then folds the second derivative into a constant. `jacfwd` pushes one tangent for each input, `jacrev` pulls one cotangent for each output: for 3 inputs and 100 outputs compare the FLOPs of the two and see forward mode win; for 100 inputs and 3 outputs, reverse mode. `hessian` is `jacfwd` of `jacrev`.</source>
        <translation>流程中每个变换各有一个阶段。jaxpr 随阶数增长，尽管数学上越来越简单，而 XLA 随后把二阶导数折叠成一个常量。`jacfwd` 为每个输入推送一个切向量，`jacrev` 为每个输出拉回一个余切向量：对于 3 个输入和 100 个输出，请比较两者的 FLOP，会看到前向模式胜出；对于 100 个输入和 3 个输出，则是反向模式。`hessian` 就是 `jacrev` 的 `jacfwd`。</translation>
    </message>
    <message>
        <source>The points lie near y = 2x − 1. After 1,000 steps, what are weight and bias? How often is `update` compiled?</source>
        <translation>这些点靠近 y = 2x − 1。1,000 步之后权重和偏置是多少？`update` 编译了几次？</translation>
    </message>
    <message>
        <source>The position of the largest element along an axis.</source>
        <translation>沿一个轴的最大元素的位置。</translation>
    </message>
    <message>
        <source>The position of the smallest element along an axis.</source>
        <translation>沿一个轴的最小元素的位置。</translation>
    </message>
    <message>
        <source>The primals and the tangents of `jvp` do not fit together.</source>
        <translation>`jvp` 的原值与切向量不相配。</translation>
    </message>
    <message>
        <source>The process that ran the code is gone; how it ended is not known.</source>
        <translation>运行代码的进程已经不在；它如何结束不清楚。</translation>
    </message>
    <message>
        <source>The process that ran your code ended</source>
        <translation>运行您的代码的进程结束了</translation>
    </message>
    <message>
        <source>The process was ended. The next step starts another, at this place.</source>
        <translation>进程已被结束。下一步会在此处启动另一个进程。</translation>
    </message>
    <message>
        <source>The process was ended. The next step traces the call anew.</source>
        <translation>进程已被结束。下一步会重新追踪这个调用。</translation>
    </message>
    <message>
        <source>The product of the elements along axes.</source>
        <translation>沿若干轴的元素之积。</translation>
    </message>
    <message>
        <source>The profile of a job has no run equation by equation.</source>
        <translation>作业的性能剖析中没有逐个方程的运行。</translation>
    </message>
    <message>
        <source>The program</source>
        <translation>这个程序</translation>
    </message>
    <message>
        <source>The program as JAX hands it to the compiler XLA.</source>
        <translation>JAX 交给编译器 XLA 的程序。</translation>
    </message>
    <message>
        <source>The program could not be drawn: {reason}.</source>
        <translation>程序无法绘制：{reason}。</translation>
    </message>
    <message>
        <source>The program does not come here.</source>
        <translation>程序不会执行到这里。</translation>
    </message>
    <message>
        <source>The program does not fit: it needs {needs} of the device's memory, it has {has}.</source>
        <translation>程序放不下：它需要设备的 {needs} 内存，而设备有 {has}。</translation>
    </message>
    <message>
        <source>The program does not use it.</source>
        <translation>程序没有用到它。</translation>
    </message>
    <message>
        <source>The program has no equation.</source>
        <translation>这个程序没有方程。</translation>
    </message>
    <message>
        <source>The program has side effects: it is not run once more.</source>
        <translation>程序有副作用：不再运行一次。</translation>
    </message>
    <message>
        <source>The program has {num:,} equations, too many to look at.</source>
        <translation>这个程序有 {num:,} 个方程，多得无法逐个查看。</translation>
    </message>
    <message>
        <source>The program holds its own derivative: equation {id} ({operation}{where}) is part of one. The derivative of all of it is not made.</source>
        <translation>程序中有它自己的导数：方程 {id}（{operation}{where}）是导数的一部分。不生成整个程序的导数。</translation>
    </message>
    <message>
        <source>The program holds its own derivative: its gradient is a second derivative.</source>
        <translation>该程序自带导数：它的梯度是二阶导数。</translation>
    </message>
    <message>
        <source>The program of {name}.</source>
        <translation>{name} 的程序。</translation>
    </message>
    <message>
        <source>The program that computes the gradient of your function. Your call did not ask for it: nothing is compiled of it.</source>
        <translation>计算函数梯度的程序。您的调用没有要求它：不编译其中任何部分。</translation>
    </message>
    <message>
        <source>The program that really runs: operations joined into fusions.</source>
        <translation>真正运行的程序：运算合并成了融合。</translation>
    </message>
    <message>
        <source>The program that runs is shown: it is stepped through.</source>
        <translation>现在显示的是实际运行的程序：单步执行的就是它。</translation>
    </message>
    <message>
        <source>The program under {name}.</source>
        <translation>在 {name} 下的程序。</translation>
    </message>
    <message>
        <source>The program uses device {device}, and the target has {count}, counted from 0.</source>
        <translation>程序用到设备 {device}，而目标有 {count} 个，从 0 开始编号。</translation>
    </message>
    <message>
        <source>The program uses {num_used} of the {count} devices of {target}: nothing in it is placed on the others. The file finds as many simulated devices in jax.devices(), and what it shards over them is sharded over the target's.</source>
        <translation>程序用到 {target} 的 {count} 个设备中的 {num_used} 个：其中没有任何东西放在其余设备上。文件在 jax.devices() 中会找到同样多的模拟设备，它分布到这些设备上的内容，就分布到目标的设备上。</translation>
    </message>
    <message>
        <source>The program was not compiled.</source>
        <translation>程序没有编译。</translation>
    </message>
    <message>
        <source>The range {low}..{high} does not rise from at least 1.</source>
        <translation>范围 {low}..{high} 不是从至少 1 开始递增。</translation>
    </message>
    <message>
        <source>The real part of every element.</source>
        <translation>每个元素的实部。</translation>
    </message>
    <message>
        <source>The recorder saw no instruction of the program.</source>
        <translation>记录器没有看到这个程序的任何指令。</translation>
    </message>
    <message>
        <source>The regular expression is broken: {error}</source>
        <translation>正则表达式有错误：{error}</translation>
    </message>
    <message>
        <source>The regular expression is nested too deep.</source>
        <translation>正则表达式嵌套太深。</translation>
    </message>
    <message>
        <source>The regular expression takes too long and was stopped. Do not repeat what can match a text in two ways, as in (a|aa)+.</source>
        <translation>正则表达式耗时过长，已被中止。不要重复能以两种方式匹配同一文本的部分，例如 (a|aa)+。</translation>
    </message>
    <message>
        <source>The regularized incomplete beta function.</source>
        <translation>正则化不完全贝塔函数。</translation>
    </message>
    <message>
        <source>The remainder of a division, with the sign of the dividend.</source>
        <translation>除法的余数，符号与被除数相同。</translation>
    </message>
    <message>
        <source>The remainder of a division.</source>
        <translation>除法的余数。</translation>
    </message>
    <message>
        <source>The result and a function that carries gradients back.</source>
        <translation>结果，以及一个把梯度往回传的函数。</translation>
    </message>
    <message>
        <source>The result and its gradient together.</source>
        <translation>结果连同它的梯度。</translation>
    </message>
    <message>
        <source>The result and the linear function of its derivative.</source>
        <translation>结果，以及其导数的线性函数。</translation>
    </message>
    <message>
        <source>The result cannot be fed into the first argument: it has another form.</source>
        <translation>结果不能作为第一个参数：它的形式不同。</translation>
    </message>
    <message>
        <source>The result has the batch dimensions, then what is left of the first operand, then of the second.</source>
        <translation>结果依次有批次维度、第一个操作数余下的维度、第二个操作数余下的维度。</translation>
    </message>
    <message>
        <source>The result has the batch dimensions, then what is left of x's dimensions, then what is left of y's.</source>
        <translation>结果依次有批次维度、x 余下的维度、y 余下的维度。</translation>
    </message>
    <message>
        <source>The result has the dimensions of the indices but their last, and those in `offset_dims`.</source>
        <translation>结果有下标数组除最后一维以外的维度，以及 `offset_dims` 中的维度。</translation>
    </message>
    <message>
        <source>The result has the shape `new_sizes`, with as many elements as x.</source>
        <translation>结果的形状是 `new_sizes`，元素个数与 x 相同。</translation>
    </message>
    <message>
        <source>The result has the shape `shape`; dimension i of x becomes its dimension `broadcast_dimensions[i]`.</source>
        <translation>结果的形状是 `shape`；x 的第 i 维成为它的第 `broadcast_dimensions[i]` 维。</translation>
    </message>
    <message>
        <source>The result has the shape `slice_sizes`, whatever the starts are.</source>
        <translation>结果的形状是 `slice_sizes`，与起点无关。</translation>
    </message>
    <message>
        <source>The result has the shape of the keys, then `shape`.</source>
        <translation>结果的形状是密钥的形状，后面接 `shape`。</translation>
    </message>
    <message>
        <source>The result has the shape of x.</source>
        <translation>结果的形状与 x 相同。</translation>
    </message>
    <message>
        <source>The result has the shape of x; y has as many dimensions, and none is larger.</source>
        <translation>结果的形状与 x 相同；y 的维数也相同，而且每一维都不更大。</translation>
    </message>
    <message>
        <source>The result is L below the diagonal, without its ones, and U on and above it; then pivots and the permutation.</source>
        <translation>结果在对角线以下是 L，不含它的那些一；在对角线上和以上是 U；然后是主元和排列。</translation>
    </message>
    <message>
        <source>The result is what was there before; `r[...] = y` throws it away.</source>
        <translation>结果是原来在那里的值；`r[...] = y` 把它丢掉。</translation>
    </message>
    <message>
        <source>The results
{join}</source>
        <translation>结果
{join}</translation>
    </message>
    <message>
        <source>The results are finite.</source>
        <translation>结果是有限的。</translation>
    </message>
    <message>
        <source>The results have the sizes `sizes` along `axis`; the other dimensions are those of x.</source>
        <translation>各结果沿 `axis` 的大小是 `sizes`；其他维度与 x 相同。</translation>
    </message>
    <message>
        <source>The results have {odd}: no verdict.</source>
        <translation>结果中有 {odd}：不下结论。</translation>
    </message>
    <message>
        <source>The results, copied from the device to the host, ready before. A CPU may share the memory.</source>
        <translation>结果从设备复制到主机，事先已经就绪。CPU 可能共用内存。</translation>
    </message>
    <message>
        <source>The root of a sum of squares, as a norm is one, has an infinite derivative where all of them are 0; times the 0 that the squares pass back, the gradient is NaN there.</source>
        <translation>平方和的根（范数就是这样）在所有项都为 0 时导数为无穷大；乘以各平方传回的 0，那里的梯度就是 NaN。</translation>
    </message>
    <message>
        <source>The rule of a `custom_jvp` does not return what it must.</source>
        <translation>某个 `custom_jvp` 的规则没有返回它必须返回的内容。</translation>
    </message>
    <message>
        <source>The run did not finish within its time limit: stopped after {seconds:.1f} s.</source>
        <translation>运行没有在时限内完成：{seconds:.1f} 秒后停止。</translation>
    </message>
    <message>
        <source>The run does not come there.</source>
        <translation>运行不会到达那里。</translation>
    </message>
    <message>
        <source>The run ended before it was asked to.</source>
        <translation>运行在被要求之前就结束了。</translation>
    </message>
    <message>
        <source>The run ended early: these results are partial, of {num_found} of {rigorous_processes} pairs of processes.</source>
        <translation>运行提前结束：这些结果不完整，来自 {rigorous_processes} 对进程中的 {num_found} 对。</translation>
    </message>
    <message>
        <source>The run ended early: these results are partial, of {num_found} of {rigorous_processes} processes.</source>
        <translation>运行提前结束：这些结果不完整，来自 {rigorous_processes} 个进程中的 {num_found} 个。</translation>
    </message>
    <message>
        <source>The run ended early: these results are partial.</source>
        <translation>运行提前结束：这些结果不完整。</translation>
    </message>
    <message>
        <source>The run ends here: this equation fails.</source>
        <translation>运行到此结束：这个方程失败。</translation>
    </message>
    <message>
        <source>The run failed before {title} was made.</source>
        <translation>运行在生成 {title} 之前失败了。</translation>
    </message>
    <message>
        <source>The run failed.</source>
        <translation>运行失败了。</translation>
    </message>
    <message>
        <source>The run of this call before the present one</source>
        <translation>这个调用在当前运行之前的那次运行</translation>
    </message>
    <message>
        <source>The run stands where it was.</source>
        <translation>运行停在原来的位置。</translation>
    </message>
    <message>
        <source>The run was stopped before {title} was made.</source>
        <translation>运行在生成 {title} 之前被停止了。</translation>
    </message>
    <message>
        <source>The run was stopped.</source>
        <translation>运行已停止。</translation>
    </message>
    <message>
        <source>The running log of the sum of exponentials along an axis.</source>
        <translation>沿一个轴的累计指数和的对数。</translation>
    </message>
    <message>
        <source>The running maximum along an axis.</source>
        <translation>沿一个轴的累计最大值。</translation>
    </message>
    <message>
        <source>The running minimum along an axis.</source>
        <translation>沿一个轴的累计最小值。</translation>
    </message>
    <message>
        <source>The running product along an axis.</source>
        <translation>沿一个轴的累计积。</translation>
    </message>
    <message>
        <source>The running sum along an axis.</source>
        <translation>沿一个轴的累计和。</translation>
    </message>
    <message>
        <source>The same as {name}.</source>
        <translation>与 {name} 相同。</translation>
    </message>
    <message>
        <source>The same bytes seen with another shape or layout; costs nothing.</source>
        <translation>同样的字节，看作另一种形状或布局；没有开销。</translation>
    </message>
    <message>
        <source>The same calls one after another, once the C library was told to keep freed memory (mallopt), so that the system does not have to give and clear pages anew.</source>
        <translation>让 C 库保留已释放的内存（mallopt）之后，同样的调用一次接一次，这样系统不必重新分配和清零内存页。</translation>
    </message>
    <message>
        <source>The same elements in another shape.</source>
        <translation>同样的元素，另一种形状。</translation>
    </message>
    <message>
        <source>The same elements in another shape; usually costs nothing.</source>
        <translation>同样的元素，另一种形状；通常没有开销。</translation>
    </message>
    <message>
        <source>The same key gives the same bits.</source>
        <translation>同样的密钥给出同样的位。</translation>
    </message>
    <message>
        <source>The same key was compiled before, and its program is gone: jax.clear_caches() was called, or the jitted function was made again and the old one thrown away.</source>
        <translation>同样的键以前编译过，但程序已经没有了：调用了 jax.clear_caches()，或者重新生成了 jit 函数而丢弃了旧的。</translation>
    </message>
    <message>
        <source>The same on both sides: {noun}.</source>
        <translation>两侧相同：{noun}。</translation>
    </message>
    <message>
        <source>The same values as a table</source>
        <translation>以表格显示同样的数值</translation>
    </message>
    <message>
        <source>The script ended with status {status}.</source>
        <translation>脚本以状态 {status} 结束。</translation>
    </message>
    <message>
        <source>The script has ended.</source>
        <translation>脚本已结束。</translation>
    </message>
    <message>
        <source>The script is being stopped.</source>
        <translation>正在停止脚本。</translation>
    </message>
    <message>
        <source>The script runs in a process of its own, as in a shell. Each function that is jitted is listed and captured at its first call, from its real arguments; a double click or Enter opens the capture.</source>
        <translation>脚本在自己的进程中运行，与在命令行中一样。每个被 jit 的函数在第一次调用时列出，并从实际参数捕获；双击或按 Enter 打开捕获。</translation>
    </message>
    <message>
        <source>The script runs.</source>
        <translation>脚本正在运行。</translation>
    </message>
    <message>
        <source>The script runs. It printed: {last}</source>
        <translation>脚本正在运行。它打印：{last}</translation>
    </message>
    <message>
        <source>The script's process was ended, or died.</source>
        <translation>脚本的进程被结束了，或者崩溃了。</translation>
    </message>
    <message>
        <source>The second call after compiling.</source>
        <translation>编译之后的第二次调用。</translation>
    </message>
    <message>
        <source>The second derivatives.</source>
        <translation>二阶导数。</translation>
    </message>
    <message>
        <source>The second has {difference} {word}{share}: {noun}.</source>
        <translation>第二个{word} {difference}{share}：{noun}。</translation>
    </message>
    <message>
        <source>The second run does not come here.</source>
        <translation>第二次运行不会到达这里。</translation>
    </message>
    <message>
        <source>The second takes less time{pairs}</source>
        <translation>第二个用时更少{pairs}</translation>
    </message>
    <message>
        <source>The second takes longer{pairs}</source>
        <translation>第二个用时更多{pairs}</translation>
    </message>
    <message>
        <source>The second takes {word}: {theirs} instead of {ours}; the longer time is {times} times the shorter. Measured one after the other, not in pairs.</source>
        <translation>第二个用时{word}：{theirs}，而不是 {ours}；较长的时间是较短的 {times} 倍。先后测量，不是成对测量。</translation>
    </message>
    <message>
        <source>The session could not be started.</source>
        <translation>无法启动会话。</translation>
    </message>
    <message>
        <source>The session is closed.</source>
        <translation>会话已关闭。</translation>
    </message>
    <message>
        <source>The setting changed between the calls: {names}. Set it once, at the start.</source>
        <translation>设置在各次调用之间改变了：{names}。请在开始时只设置一次。</translation>
    </message>
    <message>
        <source>The shapes do not fit together.</source>
        <translation>形状不匹配。</translation>
    </message>
    <message>
        <source>The shapes of the arguments do not fit together.</source>
        <translation>各参数的形状不匹配。</translation>
    </message>
    <message>
        <source>The sigmoid 1 / (1 + exp(−x)) of every element.</source>
        <translation>每个元素的 sigmoid 值 1 / (1 + exp(−x))。</translation>
    </message>
    <message>
        <source>The sigmoid of every element.</source>
        <translation>每个元素的 sigmoid 值。</translation>
    </message>
    <message>
        <source>The sine of every element.</source>
        <translation>每个元素的正弦。</translation>
    </message>
    <message>
        <source>The singular value decomposition of a matrix; done by a library.</source>
        <translation>矩阵的奇异值分解；由库完成。</translation>
    </message>
    <message>
        <source>The size of a dimension.</source>
        <translation>一个维度的大小。</translation>
    </message>
    <message>
        <source>The size of a result depends on the values of an array.</source>
        <translation>结果的大小取决于数组的值。</translation>
    </message>
    <message>
        <source>The size of {unknown} is not known.</source>
        <translation>不知道 {unknown} 的大小。</translation>
    </message>
    <message>
        <source>The smaller of two arrays, element by element.</source>
        <translation>逐元素取两个数组中较小的值。</translation>
    </message>
    <message>
        <source>The smallest element along axes.</source>
        <translation>沿若干轴的最小元素。</translation>
    </message>
    <message>
        <source>The smallest value over all devices.</source>
        <translation>所有设备上的最小值。</translation>
    </message>
    <message>
        <source>The source</source>
        <translation>源代码视图</translation>
    </message>
    <message>
        <source>The source is always shown as text.</source>
        <translation>源代码总是以文本显示。</translation>
    </message>
    <message>
        <source>The square root of every element.</source>
        <translation>每个元素的平方根。</translation>
    </message>
    <message>
        <source>The stack shows which line was running; the last output may say why.</source>
        <translation>调用栈显示当时运行到哪一行；最后的输出可能说明原因。</translation>
    </message>
    <message>
        <source>The stage {stage} failed.</source>
        <translation>阶段 {stage} 失败了。</translation>
    </message>
    <message>
        <source>The stage {stage} has no equation {id}.</source>
        <translation>阶段 {stage} 没有方程 {id}。</translation>
    </message>
    <message>
        <source>The stage {stage} is not available.</source>
        <translation>阶段 {stage} 不可用。</translation>
    </message>
    <message>
        <source>The stages</source>
        <translation>各个阶段</translation>
    </message>
    <message>
        <source>The stages of the open views.</source>
        <translation>打开的视图所显示的阶段。</translation>
    </message>
    <message>
        <source>The stages of this call are: {names}.</source>
        <translation>这个调用的阶段有：{names}。</translation>
    </message>
    <message>
        <source>The start: nothing of the function has run, and the jaxpr is empty.</source>
        <translation>起点：函数还没有运行，jaxpr 是空的。</translation>
    </message>
    <message>
        <source>The start: the arguments</source>
        <translation>起点：参数</translation>
    </message>
    <message>
        <source>The static argument {path} came as several objects, and no two are equal, as far as Python can tell. Where they mean the same, pass one object, or give its class __eq__ and __hash__ (a frozen dataclass has them).</source>
        <translation>静态参数 {path} 传入的是几个不同的对象，在 Python 看来没有两个相等。如果它们的含义相同，请传同一个对象，或者给它的类加上 __eq__ 和 __hash__（frozen 的 dataclass 自带它们）。</translation>
    </message>
    <message>
        <source>The static argument {path} took {count} values ({values}), and each is a program of its own.</source>
        <translation>静态参数 {path} 出现了 {count} 个值（{values}），每个值都是一个单独的程序。</translation>
    </message>
    <message>
        <source>The sum of every window.</source>
        <translation>每个窗口的和。</translation>
    </message>
    <message>
        <source>The sum of the elements along axes.</source>
        <translation>沿若干轴的元素之和。</translation>
    </message>
    <message>
        <source>The sum over all devices; each receives the total.</source>
        <translation>所有设备上的和；每个设备都得到总和。</translation>
    </message>
    <message>
        <source>The supervisor of the workers is gone.</source>
        <translation>工作进程的监管进程已经不在。</translation>
    </message>
    <message>
        <source>The supervisor, which starts and watches workers, {error}.</source>
        <translation>启动并看管工作进程的监管进程出了问题：{error}。</translation>
    </message>
    <message>
        <source>The tangent of every element.</source>
        <translation>每个元素的正切。</translation>
    </message>
    <message>
        <source>The target</source>
        <translation>目标设备</translation>
    </message>
    <message>
        <source>The target {target} is not available here.</source>
        <translation>目标 {target} 在这里不可用。</translation>
    </message>
    <message>
        <source>The text has not arrived.</source>
        <translation>文本还没有到达。</translation>
    </message>
    <message>
        <source>The text of the compiled program does not fit its graph.</source>
        <translation>编译后的程序的文本与它的图不符。</translation>
    </message>
    <message>
        <source>The text of the source files was left out.</source>
        <translation>没有包含源文件的文本。</translation>
    </message>
    <message>
        <source>The text of {shown}.</source>
        <translation>{shown} 的文本。</translation>
    </message>
    <message>
        <source>The time of this stage was not measured.</source>
        <translation>没有测量这个阶段的时间。</translation>
    </message>
    <message>
        <source>The time that arithmetic or memory alone would take at least.</source>
        <translation>只有算术或只有内存时至少需要的时间。</translation>
    </message>
    <message>
        <source>The timing page lists dispatch and completion apart. Dispatch is the time until Python has its answer back, an array that is only a promise; completion is the time until the numbers are there. For a large product the first is a small fraction of the second, so it measures nothing about the product. The copy of the arguments to the device is a row of its own.</source>
        <translation>计时页分别列出派发和完成。派发是 Python 拿回答复所用的时间，答复是一个只作承诺的数组；完成是数值真正到位所用的时间。对于大的乘积，前者只是后者的一小部分，所以它说明不了乘积本身。把参数复制到设备另占一行。</translation>
    </message>
    <message>
        <source>The trace is done: {equations}.</source>
        <translation>追踪完成：{equations}。</translation>
    </message>
    <message>
        <source>The traced code called sys.settrace itself: lines behind that are missing.</source>
        <translation>被追踪的代码自己调用了 sys.settrace：在那之后的行缺失。</translation>
    </message>
    <message>
        <source>The tree of modules is the tree of boxes.</source>
        <translation>模块的树就是方框的树。</translation>
    </message>
    <message>
        <source>The twelve layers are a Python loop, so the jaxpr holds each of them. How much of the graph must you read to know it all?</source>
        <translation>十二层是一个 Python 循环，所以 jaxpr 包含其中每一层。要了解全部，必须读多少图？</translation>
    </message>
    <message>
        <source>The two could not be measured together</source>
        <translation>无法同时测量这两者</translation>
    </message>
    <message>
        <source>The two draws are identical, and the key-reuse check points at both uses. The split version is clean: in its graph each draw hangs from its own branch of `random_split`. A key is a value, not a hidden state, so the same key means the same numbers eagerly, jitted and vmapped.</source>
        <translation>两次抽取完全相同，密钥重用检查会指出两处使用。拆分的版本没有问题：在它的图中，每次抽取都挂在 `random_split` 自己的分支上。密钥是一个值，不是隐藏的状态，所以同一个密钥在急切执行、jit 和 vmap 下意味着同样的数。</translation>
    </message>
    <message>
        <source>The types do not fit together.</source>
        <translation>类型不匹配。</translation>
    </message>
    <message>
        <source>The update is dropped there.</source>
        <translation>那里的更新被丢弃。</translation>
    </message>
    <message>
        <source>The value of a traced array is asked for, as Python has it.</source>
        <translation>要求把被追踪的数组的值作为 Python 的数。</translation>
    </message>
    <message>
        <source>The values of the program's inputs could not be found.</source>
        <translation>找不到程序输入的值。</translation>
    </message>
    <message>
        <source>The whole program still differs: it has further differences.</source>
        <translation>整个程序仍然不同：它还有其他差别。</translation>
    </message>
    <message>
        <source>The window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>The worker sent something that is no message of jaxscope's.</source>
        <translation>工作进程发送的内容不是 jaxscope 的消息。</translation>
    </message>
    <message>
        <source>The {names} process ended before its time.</source>
        <translation>{names} 进程提前结束了。</translation>
    </message>
    <message>
        <source>The {num} calls after the second one, until a call took as long as later ones.</source>
        <translation>第二次之后的 {num} 次调用，直到一次调用与以后的用时一样长。</translation>
    </message>
    <message>
        <source>The {side} program failed while measured: {reason}</source>
        <translation>{side}程序在测量时失败：{reason}</translation>
    </message>
    <message>
        <source>The {side} side has none: {why}</source>
        <translation>{side}程序没有它：{why}</translation>
    </message>
    <message>
        <source>The {what} while JAX traced the function. This happens once, at tracing, and never when the compiled program runs.</source>
        <translation>JAX 追踪函数时，{what}。这只在追踪时发生一次，编译后的程序运行时从不发生。</translation>
    </message>
    <message>
        <source>The {what} while JAX traced the method. This happens once, at tracing, and never when the compiled program runs.</source>
        <translation>JAX 追踪方法时，{what}。这只在追踪时发生一次，编译后的程序运行时从不发生。</translation>
    </message>
    <message>
        <source>Then see</source>
        <translation>再看</translation>
    </message>
    <message>
        <source>There are no results to compare.</source>
        <translation>没有可比较的结果。</translation>
    </message>
    <message>
        <source>There are {num} bookmarks with {size:,} bytes of notes; a capture has room for {most:,} and {most_bytes:,} bytes.</source>
        <translation>有 {num} 个书签，备注共 {size:,} 字节；一个捕获最多容纳 {most:,} 个和 {most_bytes:,} 字节。</translation>
    </message>
    <message>
        <source>There are: {known}.</source>
        <translation>有：{known}。</translation>
    </message>
    <message>
        <source>There are: {names}.</source>
        <translation>可用的有：{names}。</translation>
    </message>
    <message>
        <source>There is no array argument {name}.</source>
        <translation>没有数组参数 {name}。</translation>
    </message>
    <message>
        <source>There is no call to run: none is named, and the file offers none.</source>
        <translation>没有可运行的调用：没有写出调用，文件也没有提供。</translation>
    </message>
    <message>
        <source>There is no call to step through.</source>
        <translation>没有可以单步执行的调用。</translation>
    </message>
    <message>
        <source>There is no code.</source>
        <translation>没有代码。</translation>
    </message>
    <message>
        <source>There is no comparison to save yet.</source>
        <translation>还没有可以保存的比较。</translation>
    </message>
    <message>
        <source>There is no complete capture to save.</source>
        <translation>没有可以保存的完整捕获。</translation>
    </message>
    <message>
        <source>There is no earlier run of this call in this window.</source>
        <translation>在这个窗口中，这个调用没有更早的运行。</translation>
    </message>
    <message>
        <source>There is no file to take the call from.</source>
        <translation>没有可以从中取得调用的文件。</translation>
    </message>
    <message>
        <source>There is no file {name} for {path}.</source>
        <translation>没有文件 {name} 可供 {path} 使用。</translation>
    </message>
    <message>
        <source>There is no file {name} in {folder}, the working directory, where the code looks.</source>
        <translation>代码在工作目录 {folder} 中查找文件 {name}，那里没有这个文件。</translation>
    </message>
    <message>
        <source>There is no format .{ending}.</source>
        <translation>没有格式 .{ending}。</translation>
    </message>
    <message>
        <source>There is no gradient to compare remat policies for.</source>
        <translation>没有梯度可用来比较 remat 策略。</translation>
    </message>
    <message>
        <source>There is no graph in the active view.</source>
        <translation>当前视图中没有图。</translation>
    </message>
    <message>
        <source>There is no graph to show.</source>
        <translation>没有图可以显示。</translation>
    </message>
    <message>
        <source>There is no machine called {host}.</source>
        <translation>没有名为 {host} 的机器。</translation>
    </message>
    <message>
        <source>There is no module in {paths}, only a profile without modules.</source>
        <translation>{paths} 中没有模块，只有不含模块的性能剖析。</translation>
    </message>
    <message>
        <source>There is no module in {path}.</source>
        <translation>{path} 中没有模块。</translation>
    </message>
    <message>
        <source>There is no operand; the result has the shape `shape`.</source>
        <translation>没有操作数；结果的形状是 `shape`。</translation>
    </message>
    <message>
        <source>There is no optimized module to look into.</source>
        <translation>没有可以查看的优化后的模块。</translation>
    </message>
    <message>
        <source>There is no room for another view: close one first.</source>
        <translation>没有空间再放一个视图：请先关闭一个。</translation>
    </message>
    <message>
        <source>There is no source to change.</source>
        <translation>没有可以修改的源代码。</translation>
    </message>
    <message>
        <source>There is no ssh on this machine.</source>
        <translation>这台机器上没有 ssh。</translation>
    </message>
    <message>
        <source>There is no stage {name}.</source>
        <translation>没有阶段 {name}。</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>没有这个文件。</translation>
    </message>
    <message>
        <source>There is no such pass.</source>
        <translation>没有这个 pass。</translation>
    </message>
    <message>
        <source>There is no such stage.</source>
        <translation>没有这个阶段。</translation>
    </message>
    <message>
        <source>There is no such value here.</source>
        <translation>这里没有这样的值。</translation>
    </message>
    <message>
        <source>There is no target {text}.</source>
        <translation>没有目标 {text}。</translation>
    </message>
    <message>
        <source>There is no text of this stage.</source>
        <translation>这个阶段没有文本。</translation>
    </message>
    <message>
        <source>There is no transform around the function.</source>
        <translation>函数没有套着变换。</translation>
    </message>
    <message>
        <source>There is no transform to exchange it with.</source>
        <translation>没有可以与之交换的变换。</translation>
    </message>
    <message>
        <source>There is no {field}: to search in; there are {names}.</source>
        <translation>没有可供查找的 {field}:；有 {names}。</translation>
    </message>
    <message>
        <source>There is no {python} on {host}.</source>
        <translation>{host} 上没有 {python}。</translation>
    </message>
    <message>
        <source>There is no {what} {name}.</source>
        <translation>没有{what} {name}。</translation>
    </message>
    <message>
        <source>There is nothing further on.</source>
        <translation>前面没有更多了。</translation>
    </message>
    <message>
        <source>There is nothing inside of this equation.</source>
        <translation>这个方程的内部没有内容。</translation>
    </message>
    <message>
        <source>There is nothing to call.</source>
        <translation>没有可以调用的东西。</translation>
    </message>
    <message>
        <source>There is nothing to compare yet.</source>
        <translation>还没有可以比较的内容。</translation>
    </message>
    <message>
        <source>There is nothing to export.</source>
        <translation>没有可以导出的内容。</translation>
    </message>
    <message>
        <source>There may be 2 to {max_sizes} sizes.</source>
        <translation>可以有 2 到 {max_sizes} 种大小。</translation>
    </message>
    <message>
        <source>These are in the jaxpr, the loop is not.</source>
        <translation>这些在 jaxpr 中，循环不在其中。</translation>
    </message>
    <message>
        <source>These kernels were compiled for {target}: for {chip} XLA makes others. To see those: --target {other}</source>
        <translation>这些内核是为 {target} 编译的：为 {chip}，XLA 会生成不同的内核。要查看那些内核：--target {other}</translation>
    </message>
    <message>
        <source>They are one kernel: {name}.</source>
        <translation>它们是同一个内核：{name}。</translation>
    </message>
    <message>
        <source>They are too large to hand from process to process: {size} MiB.</source>
        <translation>它们太大，无法在进程之间传递：{size} MiB。</translation>
    </message>
    <message>
        <source>They come from a constant that is not finite, which {told} reads</source>
        <translation>它们来自一个非有限的常量，由 {told} 读取</translation>
    </message>
    <message>
        <source>They do not have the same form: {why}.</source>
        <translation>它们的形式不同：{why}。</translation>
    </message>
    <message>
        <source>They leave out what is not known.</source>
        <translation>它们略去了未知的部分。</translation>
    </message>
    <message>
        <source>They loop over different numbers of elements ({one} and {other}): in one loop, elements of {first} would be computed several times or in another order; written as they are now, they are {size}.</source>
        <translation>它们循环的元素个数不同（{one} 和 {other}）：放在一个循环中，{first} 的元素会计算多次，或以另一种次序计算；像现在这样写出，它们占 {size}。</translation>
    </message>
    <message>
        <source>They stand in different computations ({one} and {other}), which a kernel never spans.</source>
        <translation>它们在不同的计算中（{one} 和 {other}），内核从不跨越这种界线。</translation>
    </message>
    <message>
        <source>They were not compared.</source>
        <translation>没有比较它们。</translation>
    </message>
    <message>
        <source>This backend does not tell its memory plan.</source>
        <translation>这个后端不说明它的内存计划。</translation>
    </message>
    <message>
        <source>This call has no stage {title}.</source>
        <translation>这个调用没有阶段 {title}。</translation>
    </message>
    <message>
        <source>This cannot be done</source>
        <translation>无法做到</translation>
    </message>
    <message>
        <source>This capture has no optimized program.</source>
        <translation>这个捕获没有优化后的程序。</translation>
    </message>
    <message>
        <source>This capture was made without recording XLA's passes.</source>
        <translation>这个捕获在生成时没有记录 XLA 的 pass。</translation>
    </message>
    <message>
        <source>This is a bug in jaxscope: {name}: {error}</source>
        <translation>这是 jaxscope 的一个缺陷：{name}：{error}</translation>
    </message>
    <message>
        <source>This is a bug in jaxscope: {told}</source>
        <translation>这是 jaxscope 的缺陷：{told}</translation>
    </message>
    <message>
        <source>This is from JAX's persistent compilation cache: compiling took {took}. Names and lines are those of the program that was compiled first; a later one that differs in nothing else uses the same entry.</source>
        <translation>这来自 JAX 的持久编译缓存：编译用了 {took}。名称和行号属于最先编译的那个程序；之后其余完全相同的程序使用同一条目。</translation>
    </message>
    <message>
        <source>This is not a call; write something like f(f32[8]).</source>
        <translation>这不是调用；请写类似 f(f32[8]) 的内容。</translation>
    </message>
    <message>
        <source>This is not understood: {text}</source>
        <translation>无法理解：{text}</translation>
    </message>
    <message>
        <source>This is of an earlier run, not of the call above.</source>
        <translation>这来自更早的一次运行，不是上面的调用。</translation>
    </message>
    <message>
        <source>This is of an earlier run: run the call, then go through it.</source>
        <translation>这来自更早的一次运行：请运行这个调用，再逐步走过。</translation>
    </message>
    <message>
        <source>This is of an earlier run: run the call, then trace it anew.</source>
        <translation>这来自更早的一次运行：请运行这个调用，再重新追踪。</translation>
    </message>
    <message>
        <source>This is of an earlier text: what was typed since has not run.</source>
        <translation>这来自更早的文本：之后输入的内容还没有运行。</translation>
    </message>
    <message>
        <source>This is the logarithm of a softmax: where a probability underflows to 0 it is -inf, and its gradient is NaN.</source>
        <translation>这是 softmax 的对数：概率下溢为 0 时它是 -inf，梯度是 NaN。</translation>
    </message>
    <message>
        <source>This line begins {definitions}: what it computes is in the lines below.</source>
        <translation>这一行开始{definitions}：它计算的内容在下面的行中。</translation>
    </message>
    <message>
        <source>This line decorates {definitions}: what that computes is in the lines below. The line itself ran when the file was imported, before tracing.</source>
        <translation>这一行装饰{definitions}：它计算的内容在下面的行中。这一行本身在导入文件时运行，早于追踪。</translation>
    </message>
    <message>
        <source>This line imports a module: it computes nothing.</source>
        <translation>这一行导入模块：它不计算任何东西。</translation>
    </message>
    <message>
        <source>This line is a comment.</source>
        <translation>这一行是注释。</translation>
    </message>
    <message>
        <source>This line is empty.</source>
        <translation>这一行是空的。</translation>
    </message>
    <message>
        <source>This line is in no function: it ran when the file was imported, before tracing, and is no part of the traced program.</source>
        <translation>这一行不在任何函数中：它在导入文件时运行，早于追踪，不是被追踪的程序的一部分。</translation>
    </message>
    <message>
        <source>This line is part of a text, such as a docstring: it computes nothing.</source>
        <translation>这一行是文本的一部分，如文档字符串：它不计算任何东西。</translation>
    </message>
    <message>
        <source>This line was written after the run: run the call again to see what becomes of it.</source>
        <translation>这一行是在运行之后写的：再次运行这个调用，看它变成什么。</translation>
    </message>
    <message>
        <source>This part of the program does not run.</source>
        <translation>程序的这一部分不会运行。</translation>
    </message>
    <message>
        <source>This process had a processor for {value} of the time it wanted one.</source>
        <translation>这个进程在想要处理器的时间中只有 {value} 得到了处理器。</translation>
    </message>
    <message>
        <source>This program has no equations: it computes nothing.</source>
        <translation>这个程序没有方程：它什么也不计算。</translation>
    </message>
    <message>
        <source>This stage has no graph.</source>
        <translation>这个阶段没有图。</translation>
    </message>
    <message>
        <source>This stage has no nodes.</source>
        <translation>这个阶段没有节点。</translation>
    </message>
    <message>
        <source>This stage is empty: it has no arguments, operations or results.</source>
        <translation>这个阶段是空的：没有参数、运算或结果。</translation>
    </message>
    <message>
        <source>This stage with every group opened</source>
        <translation>这个阶段，展开所有组</translation>
    </message>
    <message>
        <source>This target is of another machine, whose files cannot be chosen here.</source>
        <translation>这个目标在另一台机器上，这里无法选择那台机器的文件。</translation>
    </message>
    <message>
        <source>This view alone, or all again</source>
        <translation>只显示此视图，或重新显示全部</translation>
    </message>
    <message>
        <source>This view as graph</source>
        <translation>此视图以图显示</translation>
    </message>
    <message>
        <source>This view as table</source>
        <translation>此视图以表格显示</translation>
    </message>
    <message>
        <source>This view as text</source>
        <translation>此视图以文本显示</translation>
    </message>
    <message>
        <source>This view as tree</source>
        <translation>此视图以树显示</translation>
    </message>
    <message>
        <source>Threads of the code run beside the measurement: {threads}.</source>
        <translation>代码的线程在测量的同时运行：{threads}。</translation>
    </message>
    <message>
        <source>Three layers: how many passes over memory after compiling?</source>
        <translation>三层：编译之后要读写几遍内存？</translation>
    </message>
    <message>
        <source>Three small operations, one loop over memory; and names may be Greek.</source>
        <translation>三个小运算，一次内存循环；名称也可以是希腊字母。</translation>
    </message>
    <message>
        <source>Time it on a device that is here, such as --target cpu.</source>
        <translation>请在这里有的设备上计时，如 --target cpu。</translation>
    </message>
    <message>
        <source>Time of nodes</source>
        <translation>节点的时间</translation>
    </message>
    <message>
        <source>Time of source lines</source>
        <translation>源代码行的时间</translation>
    </message>
    <message>
        <source>Time one call without waiting for its result, and once more with `block_until_ready`. How far apart are the two numbers?</source>
        <translation>先给一次调用计时，不等待结果；再用 `block_until_ready` 计时一次。两个数相差多少？</translation>
    </message>
    <message>
        <source>Time the call from outside: start = time.perf_counter(); jax.block_until_ready(f(x)); time.perf_counter() - start.</source>
        <translation>从外面为调用计时：start = time.perf_counter(); jax.block_until_ready(f(x)); time.perf_counter() - start。</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>各时间</translation>
    </message>
    <message>
        <source>Timing</source>
        <translation>计时</translation>
    </message>
    <message>
        <source>Timing again with freed memory kept</source>
        <translation>正在保留已释放的内存再次计时</translation>
    </message>
    <message>
        <source>Timing each equation by itself</source>
        <translation>正在单独对每个方程计时</translation>
    </message>
    <message>
        <source>Timing the {noun}</source>
        <translation>正在对{noun}计时</translation>
    </message>
    <message>
        <source>Timing the {noun}: {least_rounds} pairs take about {duration}; Stop keeps what there is</source>
        <translation>正在对{noun}计时：{least_rounds} 对大约需要 {duration}；“停止”会保留已有的结果</translation>
    </message>
    <message>
        <source>To</source>
        <translation>去往</translation>
    </message>
    <message>
        <source>To an integer the fraction is cut off: -1.7 becomes -1; NaN becomes 0, and what is too large the largest integer.</source>
        <translation>转换为整数时去掉小数部分：-1.7 变成 -1；NaN 变成 0，太大的数变成最大的整数。</translation>
    </message>
    <message>
        <source>To be revealed: {to_plain_text}</source>
        <translation>待揭示：{to_plain_text}</translation>
    </message>
    <message>
        <source>To before the first line</source>
        <translation>到第一行之前</translation>
    </message>
    <message>
        <source>To its first step</source>
        <translation>到它的第一步</translation>
    </message>
    <message>
        <source>To selected</source>
        <translation>到所选处</translation>
    </message>
    <message>
        <source>To the arguments</source>
        <translation>到参数处</translation>
    </message>
    <message>
        <source>To the equation around (Shift+F7)</source>
        <translation>到外层的方程（Shift+F7）</translation>
    </message>
    <message>
        <source>To the next part of the window</source>
        <translation>到窗口的下一部分</translation>
    </message>
    <message>
        <source>To the peak</source>
        <translation>到峰值处</translation>
    </message>
    <message>
        <source>To the results</source>
        <translation>到结果处</translation>
    </message>
    <message>
        <source>To where the function around goes on (Shift+F7)</source>
        <translation>到外层函数继续运行之处（Shift+F7）</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Tour of the window</source>
        <translation>窗口导览</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>Trace, compile and show this call (Enter or Ctrl+R)</source>
        <translation>追踪、编译并显示这个调用（Enter 或 Ctrl+R）</translation>
    </message>
    <message>
        <source>Traceback</source>
        <translation>回溯</translation>
    </message>
    <message>
        <source>Traces, lowers and compiles the call once more in a process of its own, and does not run it. What stands below a bar makes up the whole of it.</source>
        <translation>在单独的进程中把这个调用再追踪、lower 和编译一次，但不运行。一条下面的各条合起来就是它的全部。</translation>
    </message>
    <message>
        <source>Tracing line by line</source>
        <translation>正在逐行追踪</translation>
    </message>
    <message>
        <source>Tracing {function}</source>
        <translation>正在追踪 {function}</translation>
    </message>
    <message>
        <source>Tracing, with a look at the stack every millisecond</source>
        <translation>正在追踪，每毫秒查看一次调用栈</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Transfers ({num_rows:,})</source>
        <translation>传输（{num_rows:,}）</translation>
    </message>
    <message>
        <source>Transforms compose.</source>
        <translation>变换可以组合。</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>树</translation>
    </message>
    <message>
        <source>Trust this folder</source>
        <translation>信任此文件夹</translation>
    </message>
    <message>
        <source>Trusted folders</source>
        <translation>受信任的文件夹</translation>
    </message>
    <message>
        <source>Trusted folders …</source>
        <translation>受信任的文件夹 …</translation>
    </message>
    <message>
        <source>Try a change</source>
        <translation>试着修改</translation>
    </message>
    <message>
        <source>Try a change of the source</source>
        <translation>试着修改源代码</translation>
    </message>
    <message>
        <source>Turn</source>
        <translation>转向</translation>
    </message>
    <message>
        <source>Turn the jaxpr into StableHLO.</source>
        <translation>把 jaxpr 变成 StableHLO。</translation>
    </message>
    <message>
        <source>Twelve layers, and every one the same.</source>
        <translation>十二层，每层都一样。</translation>
    </message>
    <message>
        <source>Two calls</source>
        <translation>两个调用</translation>
    </message>
    <message>
        <source>Two to the power of every element.</source>
        <translation>2 的每个元素次幂。</translation>
    </message>
    <message>
        <source>Type a call of a function of floats, such as grad(loss)(…).</source>
        <translation>请输入一个浮点数函数的调用，如 grad(loss)(…)。</translation>
    </message>
    <message>
        <source>Type a call of a function of the file.</source>
        <translation>请输入对该文件中某个函数的调用。</translation>
    </message>
    <message>
        <source>Type a call of {name} with {listed}.</source>
        <translation>请输入对 {name} 的调用，给出 {listed}。</translation>
    </message>
    <message>
        <source>Type a call of {name}.</source>
        <translation>请输入对 {name} 的调用。</translation>
    </message>
    <message>
        <source>Type a call such as {call}.</source>
        <translation>请输入一个调用，例如 {call}。</translation>
    </message>
    <message>
        <source>Type a call, or add a comment line such as # jaxscope: loss(f32[8]).</source>
        <translation>请输入一个调用，或者加上一行注释，例如 # jaxscope: loss(f32[8])。</translation>
    </message>
    <message>
        <source>Type a call, such as grad(loss)(f32[8, 2]), and press Enter</source>
        <translation>输入一个调用，例如 grad(loss)(f32[8, 2])，然后按 Enter</translation>
    </message>
    <message>
        <source>Type a call, such as {call}.</source>
        <translation>请输入调用，例如 {call}。</translation>
    </message>
    <message>
        <source>Type a number such as 1000, &gt;1M or &lt;10us.</source>
        <translation>请输入数值，例如 1000, &gt;1M 或 &lt;10us。</translation>
    </message>
    <message>
        <source>Type the call of the gradient, such as grad(loss)(…): a policy goes around the function that is differentiated.</source>
        <translation>请输入梯度的调用，例如 grad(loss)(…)：策略作用于被求导的函数。</translation>
    </message>
    <message>
        <source>Types of the second's arguments</source>
        <translation>第二个的参数类型</translation>
    </message>
    <message>
        <source>U: parts of a sum over devices</source>
        <translation>U：各设备上是和的一部分</translation>
    </message>
    <message>
        <source>U:{axes}: unreduced over {axes} of the mesh, devices along it hold parts of a sum.</source>
        <translation>U:{axes}：在网格的 {axes} 上未归约，沿它的各设备持有一个和的各部分。</translation>
    </message>
    <message>
        <source>Unclear which of {first} and {second} is faster</source>
        <translation>不清楚 {first} 和 {second} 哪个更快</translation>
    </message>
    <message>
        <source>Under `pmap`, each row of the mapped axis needs a device: `--target cpu:{size}` simulates them on the CPU. Elsewhere, squeeze only axes of size 1.</source>
        <translation>在 `pmap` 下，被映射的轴的每一行都需要一个设备：`--target cpu:{size}` 在 CPU 上模拟它们。在其他地方，只能去掉大小为 1 的轴。</translation>
    </message>
    <message>
        <source>Under `vmap` it runs until the last element is done; a `select` keeps elements that are done.</source>
        <translation>在 `vmap` 下它运行到最后一个元素完成为止；用 `select` 保留已经完成的元素。</translation>
    </message>
    <message>
        <source>Under `vmap` with an index per element all branches are computed, and `select_n` picks.</source>
        <translation>在 `vmap` 下如果每个元素有自己的下标，所有分支都会计算，再由 `select_n` 选取。</translation>
    </message>
    <message>
        <source>Undo the change of the call</source>
        <translation>撤销对调用的更改</translation>
    </message>
    <message>
        <source>Unfold all blocks of its text</source>
        <translation>展开其文本的所有块</translation>
    </message>
    <message>
        <source>Unpack it first: {program} -dc &lt; {path}</source>
        <translation>请先解压：{program} -dc &lt; {path}</translation>
    </message>
    <message>
        <source>Until the call returned, its result not awaited: no measure of how long the work takes.</source>
        <translation>到调用返回为止，不等待结果：不能衡量工作本身用时多久。</translation>
    </message>
    <message>
        <source>Use `grad`, `vjp` or `jacrev` in place of `jvp`, `linearize`, `jacfwd` or `hessian`, or give the function a `custom_jvp`, which serves both.</source>
        <translation>用 `grad`、`vjp` 或 `jacrev` 代替 `jvp`、`linearize`、`jacfwd` 或 `hessian`，或者给函数一个两者都适用的 `custom_jvp`。</translation>
    </message>
    <message>
        <source>Use `jnp.where` or `jax.lax.cond` (`jax.lax.while_loop` for loops). If the value is a setting rather than data, make its argument static: `jit(f, static_argnames=…)`.</source>
        <translation>请使用 `jnp.where` 或 `jax.lax.cond`（循环用 `jax.lax.while_loop`）。如果这个值是设置而不是数据，请把它的参数设为静态的：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Use `jnp.where` to choose element by element, or `.any()` or `.all()` inside of `jax.lax.cond`.</source>
        <translation>请用 `jnp.where` 逐元素选择，或者在 `jax.lax.cond` 中使用 `.any()` 或 `.all()`。</translation>
    </message>
    <message>
        <source>Use an index within the array. Where leaving it is meant, say what shall happen: x.at[i].get(mode="fill", fill_value=0), x.at[i].set(y, mode="drop").</source>
        <translation>使用数组之内的下标。如果就是要超出数组，请说明该怎样处理：x.at[i].get(mode="fill", fill_value=0)，x.at[i].set(y, mode="drop")。</translation>
    </message>
    <message>
        <source>Use smaller shapes, cut arrays over more devices, or take a target with more memory. `jaxscope targets` compares chips.</source>
        <translation>请使用更小的形状，把数组分到更多设备上，或者选择内存更大的目标。`jaxscope targets` 可以比较芯片。</translation>
    </message>
    <message>
        <source>Use smaller shapes, or a target with more memory.</source>
        <translation>请使用更小的形状，或者内存更大的目标。</translation>
    </message>
    <message>
        <source>Use smaller shapes, or close other programs.</source>
        <translation>请使用更小的形状，或关闭其他程序。</translation>
    </message>
    <message>
        <source>Use smaller shapes, or raise the limit with `--memory`.</source>
        <translation>请使用更小的形状，或者用 `--memory` 提高限制。</translation>
    </message>
    <message>
        <source>Use the function of the same name in `jax.numpy` (`jnp`), or call it in a `lambda`.</source>
        <translation>请使用 `jax.numpy`（`jnp`）中同名的函数，或者在 `lambda` 中调用它。</translation>
    </message>
    <message>
        <source>Use the function of the same name in `jax.numpy` (`jnp`), or make the argument static.</source>
        <translation>请使用 `jax.numpy`（`jnp`）中同名的函数，或者把参数设为静态的。</translation>
    </message>
    <message>
        <source>Use the function of the same name in `jax.numpy` (`jnp`).</source>
        <translation>请使用 `jax.numpy`（`jnp`）中同名的函数。</translation>
    </message>
    <message>
        <source>Use the function's result instead, or drop `donate_argnums`.</source>
        <translation>请改用函数的结果，或者去掉 `donate_argnums`。</translation>
    </message>
    <message>
        <source>Used: {name} lies in its memory.</source>
        <translation>已使用：{name} 放在它的内存中。</translation>
    </message>
    <message>
        <source>V: may differ between devices</source>
        <translation>V：各设备上可能不同</translation>
    </message>
    <message>
        <source>V:{axes}: varies over {axes} of the mesh, devices along it may hold other values.</source>
        <translation>V:{axes}：在网格的 {axes} 上变化，沿它的各设备可能持有不同的值。</translation>
    </message>
    <message>
        <source>Value and gradient together</source>
        <translation>函数值与梯度一起求</translation>
    </message>
    <message>
        <source>Values are those of the stage {stage}, not of {wanted}.</source>
        <translation>值属于阶段 {stage}，而不是 {wanted}。</translation>
    </message>
    <message>
        <source>Values at this equation</source>
        <translation>这个方程处的值</translation>
    </message>
    <message>
        <source>Values end before equation {id} ({operation}), which cannot be run by itself: {kind}: {text}</source>
        <translation>数值到方程 {id}（{operation}）之前为止，它不能单独运行：{kind}：{text}</translation>
    </message>
    <message>
        <source>Values end before equation {id}: the run was stopped after {done}, in {seconds:.0f} s. jaxscope values FILE CALL --at {id} goes there.</source>
        <translation>数值到方程 {id} 之前为止：运行在 {done} 之后停止，用时 {seconds:.0f} 秒。jaxscope values FILE CALL --at {id} 可到达那里。</translation>
    </message>
    <message>
        <source>Values flow down</source>
        <translation>值向下流动</translation>
    </message>
    <message>
        <source>Values flow to the right</source>
        <translation>值向右流动</translation>
    </message>
    <message>
        <source>Values inside of a loop are of the first {cut} only.</source>
        <translation>循环内部的值只取自最前面的 {cut}。</translation>
    </message>
    <message>
        <source>Values kept for the backward part</source>
        <translation>为反向部分保留的值</translation>
    </message>
    <message>
        <source>Values that are needed at once add up to {peak} at most, {temporary} of temporaries.</source>
        <translation>同时需要的值加起来最多 {peak}，其中临时量 {temporary}。</translation>
    </message>
    <message>
        <source>Values that lie in the chip's own fast memory are no traffic of kernels.</source>
        <translation>位于芯片自身快速内存中的值不算内核的流量。</translation>
    </message>
    <message>
        <source>Values were not looked at: nothing runs on {target} here.</source>
        <translation>没有查看值：这里没有东西能在 {target} 上运行。</translation>
    </message>
    <message>
        <source>Vary</source>
        <translation>改变</translation>
    </message>
    <message>
        <source>Vectorize</source>
        <translation>向量化</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>View only</source>
        <translation>只查看</translation>
    </message>
    <message>
        <source>View, What is selected (Ctrl+B): shows it again.</source>
        <translation>“视图”菜单的“所选内容”（Ctrl+B）可再次显示。</translation>
    </message>
    <message>
        <source>Views are in Program (Alt+1): nothing was closed.</source>
        <translation>视图在“程序”中（Alt+1）：没有关闭任何内容。</translation>
    </message>
    <message>
        <source>W&amp;idth</source>
        <translation>宽度(&amp;I)</translation>
    </message>
    <message>
        <source>Wait for it, or stop it at the bottom of the window.</source>
        <translation>请等它写完，或在窗口底部停止它。</translation>
    </message>
    <message>
        <source>Wait outside of the function; or jax.experimental.io_callback(time.sleep, None, seconds), which waits in each run.</source>
        <translation>在函数之外等待；或者用 jax.experimental.io_callback(time.sleep, None, seconds)，它在每次运行时都等待。</translation>
    </message>
    <message>
        <source>Waiting for the other processes to finish</source>
        <translation>正在等待其他进程结束</translation>
    </message>
    <message>
        <source>Waiting for {title} …</source>
        <translation>正在等待 {title} …</translation>
    </message>
    <message>
        <source>Waits for a copy that runs in the background.</source>
        <translation>等待一个在后台进行的复制。</translation>
    </message>
    <message>
        <source>Wall time as the calling program sees it</source>
        <translation>调用方程序看到的实际时间</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>Weight near 2, bias near −1, and one compilation for all the steps, as the types never change. In the graph of `update` the forward and the backward equations have different colours: the backward half was written by `value_and_grad`. Residuals, the values that the forward pass keeps for the backward one, are the edges that cross between the colours.</source>
        <translation>权重接近 2，偏置接近 −1，所有步只编译一次，因为类型从不改变。在 `update` 的图中，前向和反向的方程颜色不同：反向那一半是 `value_and_grad` 写出来的。残差，即前向过程为反向过程保留的值，就是跨越两种颜色的边。</translation>
    </message>
    <message>
        <source>What 1 node costs is unknown: {names}.</source>
        <translation>有 1 个节点的开销未知：{names}。</translation>
    </message>
    <message>
        <source>What JAX moved between host and device unasked</source>
        <translation>JAX 未经要求在主机和设备之间传输的内容</translation>
    </message>
    <message>
        <source>What JAX saw when it traced your function: one line per operation.</source>
        <translation>JAX 追踪您的函数时看到的内容：每个运算一行。</translation>
    </message>
    <message>
        <source>What XLA's optimizer does to the program, pass by pass. Recording compiles the program once more; then the fates of equations name the pass that decided them.</source>
        <translation>XLA 的优化器逐个 pass 对程序做了什么。记录时会再编译一次程序；之后方程的去向会注明是哪个 pass 决定的。</translation>
    </message>
    <message>
        <source>What a call takes until it gives back control; the work may go on.</source>
        <translation>一次调用交还控制权之前所用的时间；工作可能还在进行。</translation>
    </message>
    <message>
        <source>What a frame holds: a program inside of an equation, a fusion, a scope.</source>
        <translation>一个框里的内容：方程里面的程序、一个融合、一个作用域。</translation>
    </message>
    <message>
        <source>What a graph draws as one box: an equation, operation or instruction, an argument, a constant or a result.</source>
        <translation>图中画成一个方框的东西：方程、运算或指令，参数、常量或结果。</translation>
    </message>
    <message>
        <source>What an equation does, such as `add` or `dot_general`.</source>
        <translation>一个方程做什么，例如 `add` 或 `dot_general`。</translation>
    </message>
    <message>
        <source>What became of an equation</source>
        <translation>方程的去向</translation>
    </message>
    <message>
        <source>What became of an equation in the optimized program.</source>
        <translation>一个方程在优化后的程序中变成了什么。</translation>
    </message>
    <message>
        <source>What became of it is not known; the reason is told.</source>
        <translation>不知道它变成了什么；原因会说明。</translation>
    </message>
    <message>
        <source>What bounds each kernel: arithmetic, or memory?</source>
        <translation>每个内核受什么限制：算术，还是内存？</translation>
    </message>
    <message>
        <source>What bounds the kernels is not known: the call was measured faster than these peaks allow.</source>
        <translation>各内核受什么限制尚不清楚：测得的调用比这些峰值所允许的更快。</translation>
    </message>
    <message>
        <source>What can be measured</source>
        <translation>可以测量的内容</translation>
    </message>
    <message>
        <source>What comes out of the call.</source>
        <translation>从调用中出来的内容。</translation>
    </message>
    <message>
        <source>What did XLA's optimizer do, pass by pass?</source>
        <translation>XLA 的优化器逐个 pass 做了什么？</translation>
    </message>
    <message>
        <source>What did the code print?</source>
        <translation>代码打印了什么？</translation>
    </message>
    <message>
        <source>What did the compiler fuse, and what did that save?</source>
        <translation>编译器融合了什么，节省了什么？</translation>
    </message>
    <message>
        <source>What differs between this call and another?</source>
        <translation>这个调用与另一个有什么差别？</translation>
    </message>
    <message>
        <source>What do whole training steps and models look like?</source>
        <translation>完整的训练步骤和模型是什么样子？</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>您想做什么？</translation>
    </message>
    <message>
        <source>What does JAX recompile, and why?</source>
        <translation>JAX 重新编译了什么，为什么？</translation>
    </message>
    <message>
        <source>What does JAX record of a function, and what does it forget?</source>
        <translation>JAX 记录一个函数的什么，忘记什么？</translation>
    </message>
    <message>
        <source>What does XLA make of it, and what does that save?</source>
        <translation>XLA 用它生成什么，节省了什么？</translation>
    </message>
    <message>
        <source>What does the gradient with respect to all of that look like?</source>
        <translation>对所有这些求的梯度是什么样子？</translation>
    </message>
    <message>
        <source>What does the jaxpr show of the kernel, and how often does it run?</source>
        <translation>jaxpr 会显示内核的什么，内核又运行多少次？</translation>
    </message>
    <message>
        <source>What each line took</source>
        <translation>每一行用了多久</translation>
    </message>
    <message>
        <source>What each point is</source>
        <translation>每个点代表什么</translation>
    </message>
    <message>
        <source>What each step of XLA's optimizer changed.</source>
        <translation>XLA 的优化器每一步改变了什么。</translation>
    </message>
    <message>
        <source>What flows back to a smaller operand is summed to its shape.</source>
        <translation>流回较小操作数的值会求和成它的形状。</translation>
    </message>
    <message>
        <source>What fuses and what does not.</source>
        <translation>哪些会融合，哪些不会。</translation>
    </message>
    <message>
        <source>What goes into the call, and what comes out?</source>
        <translation>调用输入什么，输出什么？</translation>
    </message>
    <message>
        <source>What goes into the call. An array of it is an argument of the program.</source>
        <translation>进入调用的内容。其中的数组是程序的一个参数。</translation>
    </message>
    <message>
        <source>What is alive at the chosen step</source>
        <translation>所选步骤时存活的内容</translation>
    </message>
    <message>
        <source>What is alive when is not available: {reason}</source>
        <translation>无法得知何时有什么存活：{reason}</translation>
    </message>
    <message>
        <source>What is alive when is not known: looking for it failed.</source>
        <translation>不知道何时有什么存活：查找失败了。</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>比较的内容</translation>
    </message>
    <message>
        <source>What is kept for the backward pass grows with `length`: each kept value is stacked.</source>
        <translation>为反向过程保留的内容随 `length` 增长：每个保留的值都会堆叠起来。</translation>
    </message>
    <message>
        <source>What is measured against what</source>
        <translation>用什么与什么比较测量</translation>
    </message>
    <message>
        <source>What is not finite in the results was so in an argument or a constant.</source>
        <translation>结果中的非有限值在参数或常量中就已经有了。</translation>
    </message>
    <message>
        <source>What is read there is a number that stands for none.</source>
        <translation>在那里读到的是一个表示没有值的数。</translation>
    </message>
    <message>
        <source>What is read there is of the nearest index within.</source>
        <translation>在那里读到的是界内最近下标处的值。</translation>
    </message>
    <message>
        <source>What is read there is {fill}.</source>
        <translation>在那里读到的是 {fill}。</translation>
    </message>
    <message>
        <source>What is seen</source>
        <translation>所见内容</translation>
    </message>
    <message>
        <source>What is seen in {place}</source>
        <translation>“{place}”中所见的内容</translation>
    </message>
    <message>
        <source>What is selected</source>
        <translation>所选内容</translation>
    </message>
    <message>
        <source>What is selected has no memory of its own in the compiled program.</source>
        <translation>选中的内容在编译后的程序中没有自己的内存。</translation>
    </message>
    <message>
        <source>What is shown is a saved capture: its calls cannot be run.</source>
        <translation>所显示的是已保存的捕获：不能运行它的调用。</translation>
    </message>
    <message>
        <source>What is stepped through</source>
        <translation>逐步走过什么</translation>
    </message>
    <message>
        <source>What is still shown of it is no longer of the call above.</source>
        <translation>仍然显示着的内容已不属于上面的调用。</translation>
    </message>
    <message>
        <source>What is told of one question, such as memory, below the views or in a place.</source>
        <translation>对一个问题（如内存）的说明，在视图下方或在某个位置中。</translation>
    </message>
    <message>
        <source>What it computes inside is not in the module.</source>
        <translation>它里面的计算不在模块中。</translation>
    </message>
    <message>
        <source>What led to it</source>
        <translation>由什么导致</translation>
    </message>
    <message>
        <source>What loops do themselves each round is in the second count only: they count, take slices of their operands and store results, and no equation says so.</source>
        <translation>循环本身每一轮所做的只在第二个计数中：它们计数、切出操作数的片段、存放结果，而没有方程说明这些。</translation>
    </message>
    <message>
        <source>What makes a function of a function: `grad`, `vmap`, `jit` and others.</source>
        <translation>由一个函数得到另一个函数的东西：`grad`、`vmap`、`jit` 等。</translation>
    </message>
    <message>
        <source>What makes the difference is unknown.</source>
        <translation>不知道差别由什么造成。</translation>
    </message>
    <message>
        <source>What may not depend on a value.</source>
        <translation>什么不可以依赖数值。</translation>
    </message>
    <message>
        <source>What numbers flow through it, equation by equation?</source>
        <translation>逐个方程地看，有哪些数值流过？</translation>
    </message>
    <message>
        <source>What only passes values on is no box; its line goes through.</source>
        <translation>只传递值的内容不画方框；它的连线直接穿过。</translation>
    </message>
    <message>
        <source>What random numbers are made from. One key serves for one draw.</source>
        <translation>生成随机数的依据。一个密钥只用于一次抽取。</translation>
    </message>
    <message>
        <source>What several of them call counts once, in the one that shows it</source>
        <translation>几个都调用的函数只计一次，计在显示它的那一个里</translation>
    </message>
    <message>
        <source>What stands in a loop counts as often as the loop runs.</source>
        <translation>循环中的内容按循环运行的次数计。</translation>
    </message>
    <message>
        <source>What stays in caches can be faster.</source>
        <translation>留在缓存中的数据可以更快。</translation>
    </message>
    <message>
        <source>What the colours and outlines mean; click to see all of it</source>
        <translation>颜色和轮廓的含义；单击查看全部</translation>
    </message>
    <message>
        <source>What the colours of boxes tell</source>
        <translation>方框的颜色表示什么</translation>
    </message>
    <message>
        <source>What the condition of a loop computes is no result of the loop.</source>
        <translation>循环的条件所计算的值不是循环的结果。</translation>
    </message>
    <message>
        <source>What the device's allocator says, between calls; its peak is that of the process.</source>
        <translation>设备的分配器在两次调用之间所报告的；它的峰值是整个进程的峰值。</translation>
    </message>
    <message>
        <source>What the devices that send must at least send on average, and each does in a ring: for n devices and a value of B bytes, 2·(n−1)/n·B of an all-reduce, (n−1)/n·B of an all-gather, a reduce-scatter and an all-to-all, B of a permute. What the hardware really sends is not known here.</source>
        <translation>发送的设备平均至少必须发送的量，在环形中每个设备都如此：对 n 个设备和 B 字节的值，all-reduce 为 2·(n−1)/n·B，all-gather、reduce-scatter 和 all-to-all 为 (n−1)/n·B，permute 为 B。硬件实际发送多少，这里并不知道。</translation>
    </message>
    <message>
        <source>What the job wrote</source>
        <translation>作业写出的内容</translation>
    </message>
    <message>
        <source>What the lesson reveals</source>
        <translation>课程揭示的内容</translation>
    </message>
    <message>
        <source>What the optimizer does</source>
        <translation>优化器做什么</translation>
    </message>
    <message>
        <source>What the script compiled</source>
        <translation>脚本编译的内容</translation>
    </message>
    <message>
        <source>What this machine can do at most was not measured, so no limits are shown.</source>
        <translation>没有测量这台机器的最高能力，所以不显示上限。</translation>
    </message>
    <message>
        <source>What this machine reached when it was measured, or what is published of a chip</source>
        <translation>这台机器测量时达到的数值，或芯片公布的数值</translation>
    </message>
    <message>
        <source>What to draw</source>
        <translation>要绘制的内容</translation>
    </message>
    <message>
        <source>What to try: {remedy}</source>
        <translation>可以尝试：{remedy}</translation>
    </message>
    <message>
        <source>What to vary, and from where to where</source>
        <translation>改变什么，从多少到多少</translation>
    </message>
    <message>
        <source>What tracing sees and what it forgets.</source>
        <translation>追踪看见什么，忘记什么。</translation>
    </message>
    <message>
        <source>What was marked, and what was written about it?</source>
        <translation>标记了什么，写了什么笔记？</translation>
    </message>
    <message>
        <source>What was measured {latest} was less: the best is kept.</source>
        <translation>{latest} 测得的较低：保留最高值。</translation>
    </message>
    <message>
        <source>What was noticed about the call, and what was assumed?</source>
        <translation>关于这个调用注意到了什么，假定了什么？</translation>
    </message>
    <message>
        <source>What was opened holds no text of the source.</source>
        <translation>打开的内容不含源代码文本。</translation>
    </message>
    <message>
        <source>What was pasted could not be written.</source>
        <translation>无法写出粘贴的内容。</translation>
    </message>
    <message>
        <source>What was seen</source>
        <translation>看到的内容</translation>
    </message>
    <message>
        <source>What was switched off</source>
        <translation>去掉了什么</translation>
    </message>
    <message>
        <source>What would jax.checkpoint do to this gradient? Each of its policies is put on the base function in memory, and the gradient compiled anew; your file stays as it is.</source>
        <translation>jax.checkpoint 会怎样影响这个梯度？在内存中给基础函数套上它的每种策略，并重新编译梯度；您的文件保持原样。</translation>
    </message>
    <message>
        <source>What your code printed when it was imported, traced and run.</source>
        <translation>您的代码在导入、追踪和运行时打印的内容。</translation>
    </message>
    <message>
        <source>What {base_text} does could not be followed under {transforms} ({why}). The program is the one that JAX runs; its equations are linked to those of {base_text} by their places in the source alone.</source>
        <translation>{base_text} 在 {transforms} 之下所做的无法跟随（{why}）。程序就是 JAX 运行的那个；它的方程只按源代码中的位置与 {base_text} 的方程关联。</translation>
    </message>
    <message>
        <source>What {name} ({operation}) moves is not known.</source>
        <translation>不知道 {name}（{operation}）搬动多少字节。</translation>
    </message>
    <message>
        <source>What {num:,} nodes cost is unknown: {names}.</source>
        <translation>有 {num:,} 个节点的开销未知：{names}。</translation>
    </message>
    <message>
        <source>Where NaN or Inf is made first, and how</source>
        <translation>NaN 或 Inf 最先在哪里产生，怎样产生</translation>
    </message>
    <message>
        <source>Where a slice begins or ends depends on the value of a traced array.</source>
        <translation>切片的起点或终点取决于被追踪的数组的值。</translation>
    </message>
    <message>
        <source>Where both are equal, each gets half of the derivative.</source>
        <translation>两者相等时，各得导数的一半。</translation>
    </message>
    <message>
        <source>Where did compile time go?</source>
        <translation>编译时间花在哪里？</translation>
    </message>
    <message>
        <source>Where eager and jit part: {why}</source>
        <translation>急切执行与 jit 分歧之处：{why}</translation>
    </message>
    <message>
        <source>Where that Inf was made is not known: not all rounds of loops were run.</source>
        <translation>不知道那个 Inf 在哪里产生：循环没有运行所有各轮。</translation>
    </message>
    <message>
        <source>Where the digits matter, jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST), or with jax.default_matmul_precision("float32"): around the call. {cost}</source>
        <translation>如果这些位数重要，用 jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)，或把调用放在 with jax.default_matmul_precision("float32"): 之中。{cost}</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间的去处</translation>
    </message>
    <message>
        <source>Whether all elements along axes are true.</source>
        <translation>沿若干轴的所有元素是否都为真。</translation>
    </message>
    <message>
        <source>Whether any element along axes is true.</source>
        <translation>沿若干轴是否有元素为真。</translation>
    </message>
    <message>
        <source>Whether that happens depends on sizes, and for some on the process.</source>
        <translation>是否发生取决于大小，有些大小还取决于进程。</translation>
    </message>
    <message>
        <source>Which argument each input of the program is, could not be found out.</source>
        <translation>无法得知程序的每个输入是哪个参数。</translation>
    </message>
    <message>
        <source>Which arguments are moved is not known of: {names}.</source>
        <translation>以下各项移动了哪些参数不清楚：{names}。</translation>
    </message>
    <message>
        <source>Which equation made them is not known: not all rounds of loops were run.</source>
        <translation>不知道是哪个方程产生的：循环的轮次没有全部运行。</translation>
    </message>
    <message>
        <source>Which equation made them is not known: running its equations one by one raised {name}.</source>
        <translation>不清楚是哪个方程产生的：逐个运行方程时引发了 {name}。</translation>
    </message>
    <message>
        <source>Which equation made them is not known: the arguments of its jaxpr could not be told.</source>
        <translation>不清楚是哪个方程产生的：无法确定它的 jaxpr 的参数。</translation>
    </message>
    <message>
        <source>Which equation made them is not known: to find it, the program's effects, such as what it prints, would have to come once more.</source>
        <translation>不清楚是哪个方程产生的：要找到它，程序的副作用（例如打印）就得再发生一次。</translation>
    </message>
    <message>
        <source>Which equation made them is not known: tracing raised {name}.</source>
        <translation>不清楚是哪个方程产生的：追踪时引发了 {name}。</translation>
    </message>
    <message>
        <source>Which equation made them is not known: {stopped}. First NaN or Inf on the page Step goes on, and so does jaxscope ask FILE CALL nan.</source>
        <translation>不知道是哪个方程产生的：{stopped}。“单步”页的“第一个 NaN 或 Inf”会继续查找，jaxscope ask FILE CALL nan 也会。</translation>
    </message>
    <message>
        <source>Which line added that equation is not known.</source>
        <translation>不知道是哪一行增加了这个方程。</translation>
    </message>
    <message>
        <source>Which line added {equations} is not known.</source>
        <translation>不知道 {equations}是哪一行增加的。</translation>
    </message>
    <message>
        <source>Which lines and operations make it slow?</source>
        <translation>哪些行和操作使它变慢？</translation>
    </message>
    <message>
        <source>Which module</source>
        <translation>哪个模块</translation>
    </message>
    <message>
        <source>Which of its equations does the gradient not need, and what has the forward pass to keep for the backward pass?</source>
        <translation>梯度不需要其中哪些方程？前向过程要为反向过程保留什么？</translation>
    </message>
    <message>
        <source>Which of the functions below can be traced? While tracing, JAX knows that `x` is eight 32-bit floats, and nothing about the numbers in it.</source>
        <translation>下面哪些函数可以追踪？追踪时 JAX 知道 `x` 是八个 32 位浮点数，而对其中的数值一无所知。</translation>
    </message>
    <message>
        <source>Which of the three needs the devices to talk to each other, and what do they exchange?</source>
        <translation>三者之中哪一个需要设备互相通信，它们交换什么？</translation>
    </message>
    <message>
        <source>Which of these does JAX compile, and how often?</source>
        <translation>JAX 编译其中哪些，编译多少次？</translation>
    </message>
    <message>
        <source>Which of two is faster, and do they agree?</source>
        <translation>两者哪个更快，结果一致吗？</translation>
    </message>
    <message>
        <source>Which part is shown: [0, :, 3], [2:8], [..., 0]; Enter shows it</source>
        <translation>显示哪一部分：[0, :, 3], [2:8], [..., 0]；按 Enter 显示</translation>
    </message>
    <message>
        <source>Which part of the compiler makes equation {number} differ</source>
        <translation>正在查找编译器的哪一部分使方程 {number} 不同</translation>
    </message>
    <message>
        <source>Which part of the compiler makes it so was not found in {tried}.</source>
        <translation>经过 {tried}，没有找到是编译器的哪一部分造成的。</translation>
    </message>
    <message>
        <source>Which run to show</source>
        <translation>显示哪种运行</translation>
    </message>
    <message>
        <source>Which version keeps most bytes between forward and backward pass, and which one computes most?</source>
        <translation>哪个版本在前向和反向之间保留的字节最多，哪个计算得最多？</translation>
    </message>
    <message>
        <source>While the source is edited: save it; else the capture</source>
        <translation>编辑源代码时：保存源代码；否则保存捕获</translation>
    </message>
    <message>
        <source>While tracing it has no value. Choose by `jax.lax.switch` or `jnp.where`, or index an array; or make the argument static: `jit(f, static_argnames=…)`.</source>
        <translation>追踪时它没有值。请用 `jax.lax.switch` 或 `jnp.where` 选择，或索引数组；或把该参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>While tracing, an array has no value. Stay with arrays. `jax.debug.print` prints values; or take them from what the function returns.</source>
        <translation>追踪时数组没有值。请始终使用数组。`jax.debug.print` 会打印值；也可以从函数的返回值中取得。</translation>
    </message>
    <message>
        <source>While tracing, an array has no value. Stay with arrays: `x.astype(float)` in place of `float(x)`, `jnp.sin` in place of `math.sin`. If it is a setting, such as a size, make its argument static: `jit(f, static_argnames=…)`.</source>
        <translation>追踪时数组没有值。请始终使用数组：用 `x.astype(float)` 代替 `float(x)`，用 `jnp.sin` 代替 `math.sin`。如果它是一个设置，例如大小，请把它的参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Whole</source>
        <translation>全图</translation>
    </message>
    <message>
        <source>Whose limits</source>
        <translation>谁的上限</translation>
    </message>
    <message>
        <source>Why are these not one kernel?</source>
        <translation>为什么它们不是一个内核？</translation>
    </message>
    <message>
        <source>With 8 exponent bits and 7 mantissa bits it gives what a round trip to bfloat16 gives.</source>
        <translation>用 8 个指数位和 7 个尾数位，结果与转成 bfloat16 再转回来相同。</translation>
    </message>
    <message>
        <source>With another call …</source>
        <translation>与另一个调用 …</translation>
    </message>
    <message>
        <source>With another file …</source>
        <translation>与另一个文件 …</translation>
    </message>
    <message>
        <source>With freed memory kept a call takes {kept} in place of {median}.</source>
        <translation>保留已释放的内存时，一次调用用时 {kept}，而不是 {median}。</translation>
    </message>
    <message>
        <source>With its value in a second run (again)</source>
        <translation>与它在第二次运行中的值 (again)</translation>
    </message>
    <message>
        <source>With its value in double precision (float64)</source>
        <translation>与它在双精度 (float64) 下的值</translation>
    </message>
    <message>
        <source>With its value in the compiled program (jit)</source>
        <translation>与它在编译后程序 (jit) 中的值</translation>
    </message>
    <message>
        <source>With open groups, colours and marks as they are.</source>
        <translation>展开的组、颜色和标记保持原样。</translation>
    </message>
    <message>
        <source>With others, with that of jit, with double precision</source>
        <translation>与其他值、与 jit 的值、与双精度的值</translation>
    </message>
    <message>
        <source>With respect to:</source>
        <translation>对哪些参数：</translation>
    </message>
    <message>
        <source>With the run before</source>
        <translation>与上一次运行</translation>
    </message>
    <message>
        <source>With {call}: {what}</source>
        <translation>用 {call} 时：{what}</translation>
    </message>
    <message>
        <source>Without `jit`: each primitive is sent to the device as the function runs.</source>
        <translation>不用 `jit`：函数运行时，每个原语分别送到设备上。</translation>
    </message>
    <message>
        <source>Without `transpose_solve` or `symmetric=True` reverse mode raises a TypeError.</source>
        <translation>没有 `transpose_solve` 或 `symmetric=True` 时，反向模式会抛出 TypeError。</translation>
    </message>
    <message>
        <source>Without a box of their own: {num:,} of {count}.</source>
        <translation>没有自己的方框：{count}中的 {num:,} 个。</translation>
    </message>
    <message>
        <source>Without any one of them it gives the eager bits.</source>
        <translation>去掉其中任何一个，就得到急切执行的位。</translation>
    </message>
    <message>
        <source>Without padding, strides and dilation a size n becomes n - k + 1, where k is the window's.</source>
        <translation>没有填充、步长和空洞时，大小 n 变成 n - k + 1，其中 k 是窗口的大小。</translation>
    </message>
    <message>
        <source>Without padding, strides and dilation a spatial size n becomes n - k + 1, where k is the kernel's.</source>
        <translation>没有填充、步长和空洞时，空间大小 n 变成 n - k + 1，其中 k 是卷积核的大小。</translation>
    </message>
    <message>
        <source>Without {causes} it does not differ.</source>
        <translation>没有 {causes} 时就没有差别。</translation>
    </message>
    <message>
        <source>Without {names} on both sides they give the same bits, other than the eager ones.</source>
        <translation>两侧都没有 {names} 时，它们给出相同的位，但与急切执行的不同。</translation>
    </message>
    <message>
        <source>Without {names} they give the eager bits.</source>
        <translation>没有 {names} 时，它们给出急切执行的位。</translation>
    </message>
    <message>
        <source>Work and traffic</source>
        <translation>工作量和内存流量</translation>
    </message>
    <message>
        <source>Work and traffic are unknown: {why}</source>
        <translation>工作量和流量未知：{why}</translation>
    </message>
    <message>
        <source>Work and traffic count loops × their trip count, which XLA knows.</source>
        <translation>工作量和流量按循环 × 其次数计，次数是 XLA 知道的。</translation>
    </message>
    <message>
        <source>Work: {work}; memory read and written: {num_bytes}</source>
        <translation>工作量：{work}；读写内存：{num_bytes}</translation>
    </message>
    <message>
        <source>Wrap long lines of texts</source>
        <translation>文本的长行自动换行</translation>
    </message>
    <message>
        <source>Write `jax.lax.fori_loop` in place of `range(n)`, and `jnp.asarray(values)[i]` to index a list; or make the argument static: `jit(f, static_argnames=…)`.</source>
        <translation>请用 `jax.lax.fori_loop` 代替 `range(n)`，用 `jnp.asarray(values)[i]` 索引列表；或把该参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>Write `x = x.at[index].set(value)`.</source>
        <translation>请写 `x = x.at[index].set(value)`。</translation>
    </message>
    <message>
        <source>Write a note about it …</source>
        <translation>为它写笔记 …</translation>
    </message>
    <message>
        <source>Write f32[{vary}] in the call, or vary a dimension of an argument: {argument}:0.</source>
        <translation>请在调用中写 f32[{vary}]，或改变某个参数的一个维度：{argument}:0。</translation>
    </message>
    <message>
        <source>Write it for one example, run it for a batch.</source>
        <translation>为一个样本编写，对一批运行。</translation>
    </message>
    <message>
        <source>Write it in jax.numpy; or give what it needs back from the loop (ys of scan) and call it once, afterwards, on all rounds.</source>
        <translation>用 jax.numpy 来写；或者从循环中返回它需要的内容（scan 的 ys），在循环之后对所有轮次调用一次。</translation>
    </message>
    <message>
        <source>Write its code to a file: jupyter nbconvert --to script.</source>
        <translation>把它的代码写到文件里：jupyter nbconvert --to script。</translation>
    </message>
    <message>
        <source>Write the change into the file (Ctrl+S)</source>
        <translation>把修改写入文件（Ctrl+S）</translation>
    </message>
    <message>
        <source>Write the figure as SVG, PNG, CSV or JSON</source>
        <translation>把图写成 SVG、PNG、CSV 或 JSON</translation>
    </message>
    <message>
        <source>Write your copy of this sample (Ctrl+S)</source>
        <translation>写入你自己的示例副本 (Ctrl+S)</translation>
    </message>
    <message>
        <source>Write {call}.</source>
        <translation>请写 {call}。</translation>
    </message>
    <message>
        <source>Writes a block at a place that is known only when the program runs. It gives a new array; XLA does it in place if the old one is no longer needed.</source>
        <translation>在一个运行时才知道的位置写入一块。它给出新的数组；如果不再需要旧的数组，XLA 就地写入。</translation>
    </message>
    <message>
        <source>Writes a block at a place that is known only when the program runs; in place where the old array is no longer needed.</source>
        <translation>在一个运行时才知道的位置写入一块；不再需要旧的数组时就地写入。</translation>
    </message>
    <message>
        <source>Writes a value, or a part of it, to a reference, and gives what was there before.</source>
        <translation>把值或它的一部分写入引用，并给出原来在那里的值。</translation>
    </message>
    <message>
        <source>Writes or adds values at many index positions.</source>
        <translation>在许多下标位置上写入或加上数值。</translation>
    </message>
    <message>
        <source>Writes values at many index positions; `x.at[i].set(v)` becomes this.</source>
        <translation>在许多下标位置上写入数值；`x.at[i].set(v)` 会变成它。</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>正在写出</translation>
    </message>
    <message>
        <source>Written in what reads them: {names}.</source>
        <translation>写在读取它们的方框里：{names}。</translation>
    </message>
    <message>
        <source>Written to {path}.</source>
        <translation>已写入 {path}。</translation>
    </message>
    <message>
        <source>XLA</source>
        <translation>XLA</translation>
    </message>
    <message>
        <source>XLA counts the body once; it runs {times} times</source>
        <translation>XLA 只计一次循环体；它运行 {times} 次</translation>
    </message>
    <message>
        <source>XLA does not count {kernels}.</source>
        <translation>XLA 没有对 {kernels}计数。</translation>
    </message>
    <message>
        <source>XLA does not know a flag that is set in XLA_FLAGS.</source>
        <translation>XLA 不认识 XLA_FLAGS 中设置的一个标志。</translation>
    </message>
    <message>
        <source>XLA does not know how often 1 loop runs.</source>
        <translation>XLA 不知道 1 个循环运行多少次。</translation>
    </message>
    <message>
        <source>XLA does not know how often {loops} run.</source>
        <translation>XLA 不知道 {loops}运行多少次。</translation>
    </message>
    <message>
        <source>XLA does not take this value for the option {option}.</source>
        <translation>XLA 不接受选项 {option} 的这个值。</translation>
    </message>
    <message>
        <source>XLA estimated {fused:g} µs with {name} fused into {into} and {apart:g} µs apart, {better}.</source>
        <translation>XLA 估计把 {name} 融合进 {into} 需要 {fused:g} µs，分开需要 {apart:g} µs，{better}。</translation>
    </message>
    <message>
        <source>XLA estimates cycles of a TPU's kernels; no sum is given where one has no estimate.</source>
        <translation>XLA 估计 TPU 内核的周期数；只要有一个没有估计，就不给出总和。</translation>
    </message>
    <message>
        <source>XLA failed, perhaps for want of memory.</source>
        <translation>XLA 失败了，也许是因为内存不足。</translation>
    </message>
    <message>
        <source>XLA gave up when it was compiled without a pass.</source>
        <translation>关闭一个 pass 来编译时，XLA 放弃了。</translation>
    </message>
    <message>
        <source>XLA generated no code: all that is left are constants, copies and library calls.</source>
        <translation>XLA 没有生成代码：剩下的只有常量、复制和库调用。</translation>
    </message>
    <message>
        <source>XLA gives no count of the work of {kernels}.</source>
        <translation>XLA 没有给出 {kernels}的工作量。</translation>
    </message>
    <message>
        <source>XLA has no option {option}.</source>
        <translation>XLA 没有选项 {option}。</translation>
    </message>
    <message>
        <source>XLA has not fixed the order in which the module runs; estimated in program order.</source>
        <translation>XLA 还没有固定模块运行的次序；按程序次序估计。</translation>
    </message>
    <message>
        <source>XLA may optimize and count otherwise</source>
        <translation>XLA 的优化和计数方式可能不同</translation>
    </message>
    <message>
        <source>XLA puts {value} together whole on every device and cuts it anew, to go from the sharding {before} to {after}: it knows no better way between these two.</source>
        <translation>为了从分布 {before} 变为 {after}，XLA 在每个设备上拼出完整的 {value}，再重新切分：它不知道这两者之间更好的办法。</translation>
    </message>
    <message>
        <source>XLA ran out of memory.</source>
        <translation>XLA 的内存用完了。</translation>
    </message>
    <message>
        <source>XLA says: {said}</source>
        <translation>XLA 说：{said}</translation>
    </message>
    <message>
        <source>XLA took {folding} of the {seconds} of compiling to compute constants (its pass constant_folding).</source>
        <translation>在 {seconds} 的编译时间中，XLA 用了 {folding} 来计算常量（它的 pass constant_folding）。</translation>
    </message>
    <message>
        <source>XLA wrote a module that cannot be read.</source>
        <translation>XLA 写出了一个无法读取的模块。</translation>
    </message>
    <message>
        <source>XLA wrote down no passes on this platform.</source>
        <translation>XLA 在这个平台上没有记下任何 pass。</translation>
    </message>
    <message>
        <source>XLA wrote no log of its decisions: only the pass priority-fusion of GPUs does. Why two kernels are not one is inferred from listed rules, and said to be.</source>
        <translation>XLA 没有为它的决定写日志：只有 GPU 的 priority-fusion 这个 pass 会写。两个内核为什么没有合成一个，是由列出的规则推断的，并会注明。</translation>
    </message>
    <message>
        <source>XLA wrote nothing of this program down: a flag in XLA_FLAGS or its compiler forbids it.</source>
        <translation>XLA 没有记下这个程序的任何内容：XLA_FLAGS 中的一个标志或它的编译器不允许。</translation>
    </message>
    <message>
        <source>XLA's TopK</source>
        <translation>XLA 的 TopK</translation>
    </message>
    <message>
        <source>XLA's backend</source>
        <translation>XLA 的后端</translation>
    </message>
    <message>
        <source>XLA's compilation</source>
        <translation>XLA 的编译</translation>
    </message>
    <message>
        <source>XLA's compilation of it</source>
        <translation>XLA 对它的编译</translation>
    </message>
    <message>
        <source>XLA's compiler went on with a copy of the module, as that for TPUs may; what its passes did to the copy is not recorded.</source>
        <translation>XLA 的编译器改用模块的一个副本继续（TPU 的编译器可能如此）；各 pass 对副本做了什么没有记录。</translation>
    </message>
    <message>
        <source>XLA's cost analysis counts 1 FLOP for each element, as for an addition.</source>
        <translation>XLA 的成本分析给每个元素算 1 FLOP，与加法相同。</translation>
    </message>
    <message>
        <source>XLA's cost analysis counts no FLOPs of it.</source>
        <translation>XLA 的开销分析不计它的 FLOP。</translation>
    </message>
    <message>
        <source>XLA's cycles</source>
        <translation>XLA 的周期</translation>
    </message>
    <message>
        <source>XLA's decisions</source>
        <translation>XLA 的决定</translation>
    </message>
    <message>
        <source>XLA's dump does not say how long a pass took.</source>
        <translation>XLA 的转储没有说明 pass 用了多久。</translation>
    </message>
    <message>
        <source>XLA's memory analysis raised {name}.</source>
        <translation>XLA 的内存分析引发了 {name}。</translation>
    </message>
    <message>
        <source>XLA's memory plan is not available: {reason}</source>
        <translation>没有 XLA 的内存计划：{reason}</translation>
    </message>
    <message>
        <source>XLA's own figure of a module differs: it counts one round of each loop.</source>
        <translation>XLA 自己对模块的数字不同：它对每个循环只算一轮。</translation>
    </message>
    <message>
        <source>XLA's own figure: one round of each loop, and of branches the dearest. What each instruction costs is not known here, so loops cannot be counted.</source>
        <translation>XLA 自己的数字：每个循环算一轮，各分支中算开销最大的。这里不知道每条指令的开销，所以无法为循环计数。</translation>
    </message>
    <message>
        <source>XLA's own form of the program, before any optimization.</source>
        <translation>XLA 自己的程序形式，尚未做任何优化。</translation>
    </message>
    <message>
        <source>XLA's own log of what it fused</source>
        <translation>XLA 自己的融合日志</translation>
    </message>
    <message>
        <source>XLA's own log: {text}</source>
        <translation>XLA 自己的日志：{text}</translation>
    </message>
    <message>
        <source>XLA's profiler writes the modules that ran while it recorded.</source>
        <translation>XLA 的分析器会写下它记录期间运行的模块。</translation>
    </message>
    <message>
        <source>XLA's recorder could not start ({kind}).</source>
        <translation>XLA 的记录器无法启动（{kind}）。</translation>
    </message>
    <message>
        <source>XLA's recorder noted more than {num:,} spans.</source>
        <translation>XLA 的记录器记下了超过 {num:,} 个时间段。</translation>
    </message>
    <message>
        <source>XLA's recorder, in memory, each run by itself and warm. Loops, calls and conditionals include what runs inside of them; instructions of several threads may overlap.</source>
        <translation>XLA 的记录器，记录在内存中，每次单独运行，已经预热。循环、调用和条件包含在其内部运行的内容；几个线程的指令可能重叠。</translation>
    </message>
    <message>
        <source>XLA_FLAGS is set: {flags}</source>
        <translation>设置了 XLA_FLAGS：{flags}</translation>
    </message>
    <message>
        <source>Your Python file.</source>
        <translation>您的 Python 文件。</translation>
    </message>
    <message>
        <source>Your code has not answered for a while (running {running_s} s): it holds its process up. Wait, or press Stop; nothing else is lost.</source>
        <translation>您的代码有一段时间没有响应了（已运行 {running_s} 秒）：它占住了自己的进程。请等待，或按“停止”；其他内容不会丢失。</translation>
    </message>
    <message>
        <source>Your code runs under {path}.</source>
        <translation>您的代码由 {path} 运行。</translation>
    </message>
    <message>
        <source>Zeros in the shape of another array.</source>
        <translation>形状与另一个数组相同的零。</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大图形</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小图形</translation>
    </message>
    <message>
        <source>Zoom to what is selected</source>
        <translation>缩放到所选内容</translation>
    </message>
    <message>
        <source>_ (unused): {types}</source>
        <translation>_（未使用）：{types}</translation>
    </message>
    <message>
        <source>`--target cpu:8` simulates eight on the CPU; `jaxscope doctor` lists the real ones.</source>
        <translation>`--target cpu:8` 在 CPU 上模拟八个设备；`jaxscope doctor` 会列出真实的设备。</translation>
    </message>
    <message>
        <source>`Counter.count` changes `self.n`; `count` takes the state and returns the next one.</source>
        <translation>`Counter.count` 会改变 `self.n`；`count` 接收状态并返回下一个状态。</translation>
    </message>
    <message>
        <source>`apply_dense`, a single `Dense`; a module with a parameter of its own, a classifier written in two styles, and a module with three equal children.</source>
        <translation>`apply_dense`，单独一个 `Dense`；一个有自己参数的模块；一个用两种风格写成的分类器；以及一个有三个相同子模块的模块。</translation>
    </message>
    <message>
        <source>`assign` fails at its line, with `.at[].set()` as the remedy. `functional_update` traces to one `scatter`. Compiled on its own it must copy, because its input belongs to the caller; `donated_update` gives its input away, and in the optimized module the output is aliased to the input: the update happens in place. In `fill` the buffer belongs to the loop, and so every one of its thousand updates is in place as well.</source>
        <translation>`assign` 在它那一行失败，补救办法是 `.at[].set()`。`functional_update` 追踪成一个 `scatter`。单独编译时它必须复制，因为输入属于调用者；`donated_update` 交出自己的输入，在优化后的模块中输出与输入共用存储：更新就地进行。在 `fill` 中缓冲区属于循环，所以它的一千次更新每一次也都是就地进行的。</translation>
    </message>
    <message>
        <source>`axis` is the last one, and nothing is NaN</source>
        <translation>`axis` 是最后一个轴，而且没有 NaN</translation>
    </message>
    <message>
        <source>`dim_labels` names the dimensions of image, kernel and result: b batch, f feature, o and i output and input feature, digits for space.</source>
        <translation>`dim_labels` 给出图像、卷积核和结果的各维名称：b 批次，f 特征，o 和 i 输出和输入特征，数字表示空间。</translation>
    </message>
    <message>
        <source>`fft_type` is `FFT`, over one dimension</source>
        <translation>`fft_type` 是 `FFT`，沿一个维度</translation>
    </message>
    <message>
        <source>`forward`, a block of three layers on one image of 32×32 pixels in three colours.</source>
        <translation>`forward`，由三层组成的一个块，作用于一张 32×32 像素、三种颜色的图像。</translation>
    </message>
    <message>
        <source>`full_matrices` is false; columns may differ by a sign</source>
        <translation>`full_matrices` 为 false；各列可能相差一个符号</translation>
    </message>
    <message>
        <source>`functional_update`, which asks for a new array that differs in one place, and `assign`, which writes `x[0] = 1` as in NumPy.</source>
        <translation>`functional_update`，它要一个只有一处不同的新数组；以及 `assign`，它像在 NumPy 中那样写 `x[0] = 1`。</translation>
    </message>
    <message>
        <source>`grad(grad(parabola))` of any number is 1. How many equations does JAX need for that? For a function from 3 numbers to 100, is `jacfwd` or `jacrev` cheaper?</source>
        <translation>`grad(grad(parabola))` 对任何数都是 1。JAX 为此需要多少个方程？对于从 3 个数到 100 个数的函数，`jacfwd` 和 `jacrev` 哪个更便宜？</translation>
    </message>
    <message>
        <source>`grad` is applied to a function whose result is not a scalar.</source>
        <translation>`grad` 所应用的函数，其结果不是标量。</translation>
    </message>
    <message>
        <source>`grad` was applied to a function whose result is not a scalar.</source>
        <translation>`grad` 应用到了一个结果不是标量的函数上。</translation>
    </message>
    <message>
        <source>`in_axes` does not have one entry for each argument.</source>
        <translation>`in_axes` 并非每个参数各有一项。</translation>
    </message>
    <message>
        <source>`jaxscope doctor` lists the targets that work here.</source>
        <translation>`jaxscope doctor` 会列出在这里可用的目标。</translation>
    </message>
    <message>
        <source>`jaxscope time --agreement` finds the equation where they part.</source>
        <translation>`jaxscope time --agreement` 会找到它们分歧的方程。</translation>
    </message>
    <message>
        <source>`keep_large` fails, as the length of its result would depend on the numbers; `absolute_if` fails, as Python must choose a branch and has no number to choose by. Each error is explained at its line. The remedies trace: `zero_small` keeps the shape and replaces what is unwanted, `absolute_where` computes both branches and selects, and `absolute_cond` puts both into the program and chooses when it runs.</source>
        <translation>`keep_large` 失败，因为结果的长度取决于数值；`absolute_if` 失败，因为 Python 必须选择一个分支，却没有可据以选择的数。每个错误都在它所在的行得到解释。补救的写法可以追踪：`zero_small` 保持形状，并替换不要的值；`absolute_where` 计算两个分支再选择；`absolute_cond` 把两个分支都放进程序，运行时再选择。</translation>
    </message>
    <message>
        <source>`lax.round` sends 2.5 to 3, `jnp.round` sends it to 2.</source>
        <translation>`lax.round` 把 2.5 舍入为 3，`jnp.round` 舍入为 2。</translation>
    </message>
    <message>
        <source>`layer` handles one example. `layer_loop` calls it in a Python loop and stacks the results; `vmap` adds the batch axis to the equations themselves.</source>
        <translation>`layer` 处理一个样本。`layer_loop` 在 Python 循环中调用它，并把结果叠起来；`vmap` 则把批次轴加到方程本身。</translation>
    </message>
    <message>
        <source>`left_side` is true, and the other flags but `lower` are false</source>
        <translation>`left_side` 为 true，除 `lower` 外的其他标志为 false</translation>
    </message>
    <message>
        <source>`lengths_traced` calls both with the lengths 10 to 40. How often is each traced?</source>
        <translation>`lengths_traced` 用 10 到 40 的长度调用两者。每个各追踪多少次？</translation>
    </message>
    <message>
        <source>`logging_norm` and `pure_norm`, two norms that differ by one line, and two ways to use a bias.</source>
        <translation>`logging_norm` 和 `pure_norm`，两个只差一行的范数；以及使用偏置的两种方式。</translation>
    </message>
    <message>
        <source>`logging_norm` appends to a list on every call. After compiling it and calling it ten times, how long is the list? And if you change the global `bias` after compiling, does `add_captured_bias` notice?</source>
        <translation>`logging_norm` 每次调用都向一个列表追加内容。编译之后调用十次，列表有多长？如果编译之后改变全局变量 `bias`，`add_captured_bias` 会察觉吗？</translation>
    </message>
    <message>
        <source>`loss` of a decoder of twelve layers for sequences of 32 tokens, and its gradient.</source>
        <translation>十二层解码器的 `loss`，用于 32 个词元的序列；以及它的梯度。</translation>
    </message>
    <message>
        <source>`loss`, the mean squared error of a small network, and three calls of it.</source>
        <translation>`loss`，一个小网络的均方误差，以及对它的三种调用。</translation>
    </message>
    <message>
        <source>`loss`, whose parameters `init_model` makes: a dictionary that holds a list, a tuple, a named tuple and a registered dataclass.</source>
        <translation>`loss`，它的参数由 `init_model` 生成：一个字典，里面有列表、元组、具名元组和一个已注册的数据类。</translation>
    </message>
    <message>
        <source>`mul 2.0` says which number is meant.</source>
        <translation>`mul 2.0` 说明是哪个数。</translation>
    </message>
    <message>
        <source>`normalize` is traced, lowered and compiled 31 times, once for each length; the padded version twice, once for each bucket. `weak_types` shows a quieter cause: `scale(x, 2.0)` and `scale(x, jnp.float32(2.0))` are different signatures, since a Python number has a weak type. `power` takes its exponent as a static argument: each new exponent is a new program as well.</source>
        <translation>`normalize` 追踪、lower 和编译 31 次，每个长度一次；填充的版本两次，每个档位一次。`weak_types` 展示一个更不显眼的原因：`scale(x, 2.0)` 和 `scale(x, jnp.float32(2.0))` 是不同的签名，因为 Python 数字是弱类型。`power` 把指数作为静态参数：每个新的指数同样是一个新的程序。</translation>
    </message>
    <message>
        <source>`normalize`, called with 10, 11, 12 … numbers, and `normalize_padded`, which first pads its input to 32, 64 or 128.</source>
        <translation>`normalize`，用 10、11、12……个数调用；以及 `normalize_padded`，它先把输入填充到 32、64 或 128。</translation>
    </message>
    <message>
        <source>`parabola`, x + ½x², then a wide function and a tall one.</source>
        <translation>`parabola`，即 x + ½x²；然后是一个宽的函数和一个高的函数。</translation>
    </message>
    <message>
        <source>`print` runs while JAX traces the function: one line, and in it no number but a tracer, the stand-in for an array of that shape. The jaxpr has no equation for it. `jax.debug.print` is an equation, so it is part of the program: three lines with three numbers.</source>
        <translation>`print` 在 JAX 追踪函数时运行：一行，其中没有数，只有一个追踪器，即那个形状的数组的替身。jaxpr 中没有它的方程。`jax.debug.print` 是一个方程，所以它是程序的一部分：三行，三个数。</translation>
    </message>
    <message>
        <source>`product`, a large matrix product.</source>
        <translation>`product`，一个大的矩阵乘积。</translation>
    </message>
    <message>
        <source>`repeated` and four more functions, each with one thing that a compiler can improve.</source>
        <translation>`repeated` 和另外四个函数，每个函数都有一处编译器可以改进的地方。</translation>
    </message>
    <message>
        <source>`repeated` computes `a * b` twice, and one multiplication remains. `unused` computes a sine that nobody asks for: gone. The factor in `constant_part` is known beforehand: one constant stands in the place of three operations. The eight operations of `chain` become one fusion, which reads and writes memory once. `donated` may overwrite its argument: output and input share a buffer. The passes stage names the pass that did each of these, and what it saved.</source>
        <translation>`repeated` 把 `a * b` 算了两次，只剩下一次乘法。`unused` 计算一个没人要的正弦：消失了。`constant_part` 中的因子事先已知：一个常量取代了三个运算。`chain` 的八个运算变成一个融合，只读写一遍内存。`donated` 可以覆盖它的参数：输出和输入共用一个缓冲区。pass 阶段会指出每一项是哪个 pass 做的，以及它节省了什么。</translation>
    </message>
    <message>
        <source>`reused` draws twice with the same key; `split_in_two` makes a fresh key for each draw.</source>
        <translation>`reused` 用同一个密钥抽取两次；`split_in_two` 为每次抽取生成一个新密钥。</translation>
    </message>
    <message>
        <source>`reverse` is false</source>
        <translation>`reverse` 为 false</translation>
    </message>
    <message>
        <source>`reverse` is false; for the JVP: no element is zero</source>
        <translation>`reverse` 为 false；对 JVP 而言：没有元素为零</translation>
    </message>
    <message>
        <source>`rounding_method` is `TO_NEAREST_EVEN`</source>
        <translation>`rounding_method` 是 `TO_NEAREST_EVEN`</translation>
    </message>
    <message>
        <source>`running_total`, which is a scan, and one function for each other of JAX's loops and branches.</source>
        <translation>`running_total`，它是一个 scan；此外 JAX 的其他循环和分支各有一个函数。</translation>
    </message>
    <message>
        <source>`scale_and_shift`, whose kernel works on references: it reads a block, computes, writes a block.</source>
        <translation>`scale_and_shift`，它的内核通过引用工作：读一块，计算，写一块。</translation>
    </message>
    <message>
        <source>`selu`, the scaled exponential linear unit, with its two constants λ and α as defaults.</source>
        <translation>`selu`，缩放指数线性单元，它的两个常量 λ 和 α 是默认值。</translation>
    </message>
    <message>
        <source>`share_of_total` and two more ways to spread work over eight devices, which a CPU can simulate.</source>
        <translation>`share_of_total`，以及另外两种把工作分给八个设备的办法；CPU 可以模拟这些设备。</translation>
    </message>
    <message>
        <source>`simple_graph`, four lines of ordinary array code.</source>
        <translation>`simple_graph`，四行普通的数组代码。</translation>
    </message>
    <message>
        <source>`softplus` has a `custom_jvp` equation whose rule is used by `grad`; `clip_gradient` is the identity forward and a clip backward, by `custom_vjp`. For the network, `deep` keeps its activations; `deep_recomputed` keeps only the layers' inputs and computes the rest again (`remat`: look for the repeated `tanh` and `dot_general` in the backward part); `deep_dots_kept` keeps the results of the matrix products and recomputes only the cheap operations.</source>
        <translation>`softplus` 有一个 `custom_jvp` 方程，`grad` 使用它的规则；`clip_gradient` 通过 `custom_vjp` 在前向是恒等，在反向是裁剪。至于网络，`deep` 保留激活值；`deep_recomputed` 只保留各层的输入，其余重新计算（`remat`：请在反向部分寻找重复的 `tanh` 和 `dot_general`）；`deep_dots_kept` 保留矩阵乘积的结果，只重新计算便宜的运算。</translation>
    </message>
    <message>
        <source>`softplus`, which has a derivative of its own, a clipped gradient, and one network with three answers to the question what to keep.</source>
        <translation>`softplus`，它有自己的导数；一个被裁剪的梯度；还有一个网络，对“保留什么”这个问题有三种回答。</translation>
    </message>
    <message>
        <source>`train_dropout`, a layer with dropout, which needs randomness, and `train_batchnorm`, one with batch norm, which needs memory.</source>
        <translation>`train_dropout`，一个带 dropout 的层，它需要随机性；以及 `train_batchnorm`，一个带批归一化的层，它需要记忆。</translation>
    </message>
    <message>
        <source>`train_step` and `eval_step`, once each, as all batches have the same shape. Data, loop and checkpoint are ordinary Python. In the graph of `train_step` three parts are told apart: forward, backward, and the optimizer after it. After ten epochs more than 95 % of fresh points are classified correctly.</source>
        <translation>`train_step` 和 `eval_step`，各一次，因为所有批次形状相同。数据、循环和检查点都是普通的 Python。在 `train_step` 的图中可以分辨三个部分：前向、反向，以及其后的优化器。十轮之后，超过 95 % 的新点分类正确。</translation>
    </message>
    <message>
        <source>`train_step`, and around it data set, loader, train state, `eval_step`, `train`, a checkpoint, and the model bound to its parameters.</source>
        <translation>`train_step`，以及围绕它的数据集、加载器、训练状态、`eval_step`、`train`、检查点，还有与参数绑定的模型。</translation>
    </message>
    <message>
        <source>`update`, one step of gradient descent on a line through noisy points.</source>
        <translation>`update`，在穿过带噪声的点的直线上做一步梯度下降。</translation>
    </message>
    <message>
        <source>`vmap` has no axis to map over.</source>
        <translation>`vmap` 没有可映射的轴。</translation>
    </message>
    <message>
        <source>`vmap` maps over an axis that an argument does not have.</source>
        <translation>`vmap` 所映射的轴是某个参数所没有的。</translation>
    </message>
    <message>
        <source>`with_print` and `with_debug_print`, which print their argument with `print` and with `jax.debug.print`.</source>
        <translation>`with_print` 和 `with_debug_print`，它们分别用 `print` 和 `jax.debug.print` 打印自己的参数。</translation>
    </message>
    <message>
        <source>`x.at[i].add(u)` adds once for each time that an index is named.</source>
        <translation>`x.at[i].add(u)` 中一个下标出现几次，就加几次。</translation>
    </message>
    <message>
        <source>`x.at[i].add(u)` with whole rows and indices inside x</source>
        <translation>`x.at[i].add(u)`，整行，下标在 x 之内</translation>
    </message>
    <message>
        <source>`x.at[i].max(u)` with whole rows and indices inside x</source>
        <translation>`x.at[i].max(u)`，整行，下标在 x 之内</translation>
    </message>
    <message>
        <source>`x.at[i].min(u)` with whole rows and indices inside x</source>
        <translation>`x.at[i].min(u)`，整行，下标在 x 之内</translation>
    </message>
    <message>
        <source>`x.at[i].multiply(u)` with whole rows and indices inside x</source>
        <translation>`x.at[i].multiply(u)`，整行，下标在 x 之内</translation>
    </message>
    <message>
        <source>`x.at[i].set(u)` drops an index beyond the end, without an error.</source>
        <translation>`x.at[i].set(u)` 会丢弃超出末端的下标，不报错。</translation>
    </message>
    <message>
        <source>`x.at[i].set(u)` with whole rows and different indices inside x</source>
        <translation>`x.at[i].set(u)`，整行，下标互不相同且在 x 之内</translation>
    </message>
    <message>
        <source>`x[i]` with an index beyond the end gives the last element, without an error.</source>
        <translation>`x[i]` 的下标超出末端时给出最后一个元素，不报错。</translation>
    </message>
    <message>
        <source>`x[i]` with whole rows and indices inside x</source>
        <translation>`x[i]`，整行，下标在 x 之内</translation>
    </message>
    <message>
        <source>`zero_small`, which keeps its shape; then `keep_large`, which selects elements by a condition, and `absolute_if`, which branches on a value.</source>
        <translation>`zero_small`，它保持形状；然后是 `keep_large`，它按条件选取元素；还有 `absolute_if`，它按数值分支。</translation>
    </message>
    <message>
        <source>`{leaf}` is no array, and the dictionary or list around it cannot be static. Pass it as an argument of its own, and make that static: `jit(f, static_argnames=…)`.</source>
        <translation>`{leaf}` 不是数组，而它所在的字典或列表不能是静态的。请把它作为单独的参数传入，并把该参数设为静态：`jit(f, static_argnames=…)`。</translation>
    </message>
    <message>
        <source>`{path}` ({type}): {why}</source>
        <translation>`{path}`（{type}）：{why}</translation>
    </message>
    <message>
        <source>a + b of {size} MiB each in f32, jitted: two arrays read, one written.</source>
        <translation>f32 的 a + b，各 {size} MiB，用 jit 编译：读两个数组，写一个。</translation>
    </message>
    <message>
        <source>a call</source>
        <translation>一次调用</translation>
    </message>
    <message>
        <source>a call among many that do not wait for each other</source>
        <translation>许多互不等待的调用中的一次</translation>
    </message>
    <message>
        <source>a call with a derivative of its own, inlined</source>
        <translation>带有自己导数的调用，已内联</translation>
    </message>
    <message>
        <source>a capture</source>
        <translation>捕获</translation>
    </message>
    <message>
        <source>a cast to {dtype}</source>
        <translation>到 {dtype} 的类型转换</translation>
    </message>
    <message>
        <source>a comparison</source>
        <translation>一个比较</translation>
    </message>
    <message>
        <source>a conjunction with true</source>
        <translation>与 true 做与运算</translation>
    </message>
    <message>
        <source>a device needs {needed} and has {there} ({title}).</source>
        <translation>一个设备需要 {needed}，有 {there}（{title}）。</translation>
    </message>
    <message>
        <source>a disjunction with false</source>
        <translation>与 false 做或运算</translation>
    </message>
    <message>
        <source>a kernel of its own</source>
        <translation>单独的内核</translation>
    </message>
    <message>
        <source>a lambda</source>
        <translation>一个 lambda</translation>
    </message>
    <message>
        <source>a library</source>
        <translation>一个库</translation>
    </message>
    <message>
        <source>a library's</source>
        <translation>库的</translation>
    </message>
    <message>
        <source>a line of Python</source>
        <translation>一行 Python</translation>
    </message>
    <message>
        <source>a link to a folder, which can be named itself</source>
        <translation>指向文件夹的链接，可以直接指明那个文件夹</translation>
    </message>
    <message>
        <source>a maximum with −∞</source>
        <translation>与 −∞ 取最大值</translation>
    </message>
    <message>
        <source>a minimum with ∞</source>
        <translation>与 ∞ 取最小值</translation>
    </message>
    <message>
        <source>a new function object</source>
        <translation>新的函数对象</translation>
    </message>
    <message>
        <source>a remat, inlined</source>
        <translation>remat，已内联</translation>
    </message>
    <message>
        <source>a result may not lie in the memory of {name}, as that is not donated</source>
        <translation>结果不能放在 {name} 的内存里，因为它没有被捐赠</translation>
    </message>
    <message>
        <source>a sparse matrix of 3 by 4, times a matrix</source>
        <translation>3 乘 4 的稀疏矩阵，乘以一个矩阵</translation>
    </message>
    <message>
        <source>a stage</source>
        <translation>一个阶段</translation>
    </message>
    <message>
        <source>a timing</source>
        <translation>计时结果</translation>
    </message>
    <message>
        <source>a type or parameter cannot be read</source>
        <translation>有一个类型或参数无法读取</translation>
    </message>
    <message>
        <source>a value</source>
        <translation>一个值</translation>
    </message>
    <message>
        <source>a while loop</source>
        <translation>一个 while 循环</translation>
    </message>
    <message>
        <source>absent</source>
        <translation>没有</translation>
    </message>
    <message>
        <source>absolute</source>
        <translation>绝对</translation>
    </message>
    <message>
        <source>added</source>
        <translation>增加</translation>
    </message>
    <message>
        <source>adding 0</source>
        <translation>加 0</translation>
    </message>
    <message>
        <source>adds to the jaxpr</source>
        <translation>给 jaxpr 增加</translation>
    </message>
    <message>
        <source>again is a second run of the same equations on the same arguments: what differs is not determined by them, as with a callback that draws or counts, or a kernel that adds in no fixed order.</source>
        <translation>again 是用相同的参数再运行一次相同的方程：出现的差别不由它们决定，例如会抽取随机数或计数的回调，或者相加次序不固定的内核。</translation>
    </message>
    <message>
        <source>against</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>agree with eager</source>
        <translation>与急切执行一致</translation>
    </message>
    <message>
        <source>agree, if eager runs without it, too</source>
        <translation>一致，如果急切执行也不含它</translation>
    </message>
    <message>
        <source>alive</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>all devices, whose number is not known</source>
        <translation>所有设备，数量未知</translation>
    </message>
    <message>
        <source>all {count}</source>
        <translation>全部 {count}</translation>
    </message>
    <message>
        <source>all {count} sizes</source>
        <translation>全部 {count} 个大小</translation>
    </message>
    <message>
        <source>all {num:,} targets</source>
        <translation>全部 {num:,} 个目标</translation>
    </message>
    <message>
        <source>all {num_notes}</source>
        <translation>全部 {num_notes} 条</translation>
    </message>
    <message>
        <source>all; else names, such as train_step</source>
        <translation>全部；否则写名称，例如 train_step</translation>
    </message>
    <message>
        <source>allocated for a run</source>
        <translation>每次运行分配</translation>
    </message>
    <message>
        <source>alone</source>
        <translation>单独</translation>
    </message>
    <message>
        <source>along {axes}: {told}</source>
        <translation>沿 {axes}：{told}</translation>
    </message>
    <message>
        <source>an FFT library</source>
        <translation>一个 FFT 库</translation>
    </message>
    <message>
        <source>an argument</source>
        <translation>一个参数</translation>
    </message>
    <message>
        <source>an array of 3 by 4</source>
        <translation>3 乘 4 的数组</translation>
    </message>
    <message>
        <source>an earlier version of the file</source>
        <translation>文件的更早版本</translation>
    </message>
    <message>
        <source>an operation such as a matrix product, and what follows computed on its result before that is written</source>
        <translation>一个矩阵乘积之类的运算，以及在它的结果写出之前接着对结果做的计算</translation>
    </message>
    <message>
        <source>an unknown number of bytes</source>
        <translation>字节数未知</translation>
    </message>
    <message>
        <source>and more in a loop</source>
        <translation>循环中还有更多</translation>
    </message>
    <message>
        <source>and {num_groups:,} more</source>
        <translation>另有 {num_groups:,} 个</translation>
    </message>
    <message>
        <source>and {rest:,} more</source>
        <translation>以及另外 {rest:,} 个</translation>
    </message>
    <message>
        <source>and {rest:,} more parts</source>
        <translation>还有 {rest:,} 个部分</translation>
    </message>
    <message>
        <source>another dtype</source>
        <translation>不同的 dtype</translation>
    </message>
    <message>
        <source>another setting</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>another shape</source>
        <translation>不同的形状</translation>
    </message>
    <message>
        <source>another sharding</source>
        <translation>不同的分布</translation>
    </message>
    <message>
        <source>another static value</source>
        <translation>不同的静态值</translation>
    </message>
    <message>
        <source>another structure</source>
        <translation>不同的结构</translation>
    </message>
    <message>
        <source>argument</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>arguments, results and temporaries by XLA's plan, what is aliased once</source>
        <translation>按 XLA 计划的参数、结果和临时值，共用内存的只算一次</translation>
    </message>
    <message>
        <source>arises here</source>
        <translation>在这里产生</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>算术</translation>
    </message>
    <message>
        <source>as XLA counts the window that JAX makes of it</source>
        <translation>按 XLA 对 JAX 由它生成的窗口的计法</translation>
    </message>
    <message>
        <source>as XLA received it</source>
        <translation>XLA 收到时</translation>
    </message>
    <message>
        <source>as `lax.ragged_dot` makes it: rows of x in groups, a matrix of y for each</source>
        <translation>`lax.ragged_dot` 所生成的那样：x 的行分成组，每组对应 y 的一个矩阵</translation>
    </message>
    <message>
        <source>as compiled</source>
        <translation>编译结果</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>原样</translation>
    </message>
    <message>
        <source>as many bits as float32 has</source>
        <translation>位数与 float32 相同</translation>
    </message>
    <message>
        <source>as many elements are not zero as `nse` says</source>
        <translation>不为零的元素个数与 `nse` 相同</translation>
    </message>
    <message>
        <source>as written; all, none, or x+y</source>
        <translation>按原样；all、none 或 x+y</translation>
    </message>
    <message>
        <source>at best</source>
        <translation>最好情况</translation>
    </message>
    <message>
        <source>at best, not measured</source>
        <translation>最好情况，不是测得的</translation>
    </message>
    <message>
        <source>at least {amount}</source>
        <translation>至少 {amount}</translation>
    </message>
    <message>
        <source>at least {low}</source>
        <translation>至少 {low}</translation>
    </message>
    <message>
        <source>at most by {amount}{at}</source>
        <translation>最多相差 {amount}{at}</translation>
    </message>
    <message>
        <source>attribute `{name}` of {owner} {change}</source>
        <translation>{owner} 的属性 `{name}` {change}</translation>
    </message>
    <message>
        <source>attributes</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>axis 0</source>
        <translation>轴 0</translation>
    </message>
    <message>
        <source>axis 1</source>
        <translation>轴 1</translation>
    </message>
    <message>
        <source>axis 2</source>
        <translation>轴 2</translation>
    </message>
    <message>
        <source>back in {where}</source>
        <translation>回到 {where}</translation>
    </message>
    <message>
        <source>back to {name}</source>
        <translation>传回 {name}</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>backward of backward</source>
        <translation>反向的反向</translation>
    </message>
    <message>
        <source>backward pass</source>
        <translation>反向过程</translation>
    </message>
    <message>
        <source>base function</source>
        <translation>基础函数</translation>
    </message>
    <message>
        <source>batch </source>
        <translation>批元素 </translation>
    </message>
    <message>
        <source>batch: loop against vmap</source>
        <translation>批：循环对 vmap</translation>
    </message>
    <message>
        <source>became</source>
        <translation>变成</translation>
    </message>
    <message>
        <source>became a constant</source>
        <translation>成为常量</translation>
    </message>
    <message>
        <source>became the branch {names}</source>
        <translation>变成了分支 {names}</translation>
    </message>
    <message>
        <source>became the constant {names}</source>
        <translation>变成了常量 {names}</translation>
    </message>
    <message>
        <source>became the loop {loops}</source>
        <translation>变成了循环 {loops}</translation>
    </message>
    <message>
        <source>began</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>behind the last of {rounds}</source>
        <translation>在最后一轮之后（共 {rounds}）</translation>
    </message>
    <message>
        <source>being worked out …</source>
        <translation>正在确定 …</translation>
    </message>
    <message>
        <source>below {amount}</source>
        <translation>低于 {amount}</translation>
    </message>
    <message>
        <source>benchmark speed eager jit profile</source>
        <translation>基准 测速 性能 benchmark speed eager jit profile</translation>
    </message>
    <message>
        <source>between</source>
        <translation>之间</translation>
    </message>
    <message>
        <source>between {low} and {high}</source>
        <translation>{low} 与 {high} 之间</translation>
    </message>
    <message>
        <source>bfloat16 operands give a bfloat16 result, unless `preferred_element_type` asks for float32.</source>
        <translation>操作数为 bfloat16 时结果也是 bfloat16，除非 `preferred_element_type` 要求 float32。</translation>
    </message>
    <message>
        <source>block of operand {number}</source>
        <translation>操作数 {number} 的一块</translation>
    </message>
    <message>
        <source>block of result {number}</source>
        <translation>结果 {number} 的一块</translation>
    </message>
    <message>
        <source>blue above 0, orange below</source>
        <translation>蓝色大于 0，橙色小于 0</translation>
    </message>
    <message>
        <source>body</source>
        <translation>循环体</translation>
    </message>
    <message>
        <source>bookmarked</source>
        <translation>已加书签</translation>
    </message>
    <message>
        <source>booleans</source>
        <translation>布尔值</translation>
    </message>
    <message>
        <source>both sides that it chooses between are the same</source>
        <translation>它所选择的各方都相同</translation>
    </message>
    <message>
        <source>branch {number}</source>
        <translation>分支 {number}</translation>
    </message>
    <message>
        <source>by way of</source>
        <translation>经由</translation>
    </message>
    <message>
        <source>by {value}</source>
        <translation>按 {value}</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>bytes accessed</source>
        <translation>访问的字节</translation>
    </message>
    <message>
        <source>bytes after</source>
        <translation>优化后字节</translation>
    </message>
    <message>
        <source>bytes before</source>
        <translation>优化前字节</translation>
    </message>
    <message>
        <source>bytes, each loop once</source>
        <translation>字节，每个循环算一次</translation>
    </message>
    <message>
        <source>cache hit</source>
        <translation>命中缓存</translation>
    </message>
    <message>
        <source>cache miss</source>
        <translation>未命中缓存</translation>
    </message>
    <message>
        <source>call</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>calls of functions such as exp and tanh</source>
        <translation>exp、tanh 之类函数的调用次数</translation>
    </message>
    <message>
        <source>cancel interrupt abort</source>
        <translation>取消 中断 cancel interrupt abort</translation>
    </message>
    <message>
        <source>capture</source>
        <translation>捕获</translation>
    </message>
    <message>
        <source>carry</source>
        <translation>carry</translation>
    </message>
    <message>
        <source>carry, _ = jax.lax.scan(lambda carry, x: (one_round(carry, x), None), carry, xs), with what differs from round to round stacked in xs (jax.tree.map(lambda *x: jnp.stack(x), *items)); or jax.lax.fori_loop(0, n, lambda i, carry: one_round(i, carry), carry).</source>
        <translation>carry, _ = jax.lax.scan(lambda carry, x: (one_round(carry, x), None), carry, xs)，把各轮不同的内容堆叠在 xs 中（jax.tree.map(lambda *x: jnp.stack(x), *items)）；或者 jax.lax.fori_loop(0, n, lambda i, carry: one_round(i, carry), carry)。</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>改变</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>改变</translation>
    </message>
    <message>
        <source>changes the shape alone</source>
        <translation>只改变形状</translation>
    </message>
    <message>
        <source>chunks of {num}</source>
        <translation>每组 {num} 次</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>code of the backend</source>
        <translation>后端的代码</translation>
    </message>
    <message>
        <source>code of the backend's own for exactly this pattern, often a library's</source>
        <translation>后端专为这种模式准备的代码，往往来自库</translation>
    </message>
    <message>
        <source>code of the program</source>
        <translation>程序的代码</translation>
    </message>
    <message>
        <source>code outside of XLA</source>
        <translation>XLA 之外的代码</translation>
    </message>
    <message>
        <source>collecting kernels</source>
        <translation>收集内核</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>collective: devices exchange</source>
        <translation>集合通信：设备交换</translation>
    </message>
    <message>
        <source>combines a value over devices</source>
        <translation>在设备之间合并一个值</translation>
    </message>
    <message>
        <source>comes from</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>compile time</source>
        <translation>编译时间</translation>
    </message>
    <message>
        <source>compile time of {form}</source>
        <translation>{form} 的编译时间</translation>
    </message>
    <message>
        <source>compiled</source>
        <translation>编译后</translation>
    </message>
    <message>
        <source>compiled in</source>
        <translation>编译用时</translation>
    </message>
    <message>
        <source>compiled once, then called</source>
        <translation>编译一次，然后调用</translation>
    </message>
    <message>
        <source>compiled with</source>
        <translation>编译选项</translation>
    </message>
    <message>
        <source>compiling</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>complex functions are lowered to many real ones</source>
        <translation>复数函数会 lower 成许多实数函数</translation>
    </message>
    <message>
        <source>computed twice</source>
        <translation>计算两次</translation>
    </message>
    <message>
        <source>computes</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>computes nothing: it only says how bytes lie ({names})</source>
        <translation>不计算什么：它只说明字节如何摆放（{names}）</translation>
    </message>
    <message>
        <source>computes nothing: it says how an array is spread over devices, which {by} reads</source>
        <translation>不计算任何东西：它说明数组怎样分布在各设备上，由 {by} 读取</translation>
    </message>
    <message>
        <source>condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>constant</source>
        <translation>常量</translation>
    </message>
    <message>
        <source>constants</source>
        <translation>常量</translation>
    </message>
    <message>
        <source>contains “{words}”</source>
        <translation>含有“{words}”</translation>
    </message>
    <message>
        <source>contraction</source>
        <translation>缩并</translation>
    </message>
    <message>
        <source>control flow</source>
        <translation>控制流</translation>
    </message>
    <message>
        <source>copies, many at once</source>
        <translation>复制、连续多次</translation>
    </message>
    <message>
        <source>copy {number} of {num}</source>
        <translation>第 {number} 份，共 {num} 份</translation>
    </message>
    <message>
        <source>copying the arguments to the device</source>
        <translation>把参数复制到设备</translation>
    </message>
    <message>
        <source>copying the results to the host</source>
        <translation>把结果复制到主机</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>开销</translation>
    </message>
    <message>
        <source>could not be measured</source>
        <translation>无法测量</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>data movement</source>
        <translation>数据移动</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>死代码</translation>
    </message>
    <message>
        <source>dead: nothing uses it</source>
        <translation>死代码：没有被使用</translation>
    </message>
    <message>
        <source>decided by the compiler</source>
        <translation>由编译器决定</translation>
    </message>
    <message>
        <source>decision</source>
        <translation>决定</translation>
    </message>
    <message>
        <source>default layout</source>
        <translation>默认 布局 default layout</translation>
    </message>
    <message>
        <source>default of argument `{name}` of {function}, one object for all calls, {change}</source>
        <translation>{function} 的参数 `{name}` 的默认值（所有调用共用的一个对象）{change}</translation>
    </message>
    <message>
        <source>depends</source>
        <translation>视情况</translation>
    </message>
    <message>
        <source>depth: unrolled against scan</source>
        <translation>深度：展开对 scan</translation>
    </message>
    <message>
        <source>derivative</source>
        <translation>导数</translation>
    </message>
    <message>
        <source>device backend platform chip cpu gpu tpu ssh</source>
        <translation>设备 后端 平台 芯片 device backend platform chip cpu gpu tpu ssh</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>devices together</source>
        <translation>共同的设备</translation>
    </message>
    <message>
        <source>differ as before</source>
        <translation>与之前一样不同</translation>
    </message>
    <message>
        <source>differ in another way</source>
        <translation>以另一种方式不同</translation>
    </message>
    <message>
        <source>differing</source>
        <translation>不同</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
    <message>
        <source>differs in cost</source>
        <translation>开销不同</translation>
    </message>
    <message>
        <source>dimension {dimension} in {parts}</source>
        <translation>第 {dimension} 维分成 {parts} 份</translation>
    </message>
    <message>
        <source>direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>dispatch</source>
        <translation>派发</translation>
    </message>
    <message>
        <source>dividing by 1</source>
        <translation>除以 1</translation>
    </message>
    <message>
        <source>division</source>
        <translation>除法</translation>
    </message>
    <message>
        <source>do not compile</source>
        <translation>不能编译</translation>
    </message>
    <message>
        <source>docs/reference/files.md says what a lesson may hold.</source>
        <translation>docs/reference/files.md 说明了一课可以包含什么。</translation>
    </message>
    <message>
        <source>documentation manual</source>
        <translation>文档 手册 documentation manual</translation>
    </message>
    <message>
        <source>donated</source>
        <translation>捐赠</translation>
    </message>
    <message>
        <source>donating</source>
        <translation>捐赠</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>drawer panel show hide close passes fusions memory</source>
        <translation>抽屉 面板 显示 隐藏 关闭 drawer panel show hide close passes fusions memory</translation>
    </message>
    <message>
        <source>drawn at</source>
        <translation>画在</translation>
    </message>
    <message>
        <source>dump</source>
        <translation>转储</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>e to the power of every element.</source>
        <translation>e 的每个元素次幂。</translation>
    </message>
    <message>
        <source>each call</source>
        <translation>每次调用</translation>
    </message>
    <message>
        <source>each cell is a mean</source>
        <translation>每格是一个平均值</translation>
    </message>
    <message>
        <source>each device holds an array of its own</source>
        <translation>每个设备持有自己的数组</translation>
    </message>
    <message>
        <source>each device sends its value to at most one</source>
        <translation>每个设备至多把自己的值发给一个设备</translation>
    </message>
    <message>
        <source>each gets a part of the result</source>
        <translation>每个得到结果的一部分</translation>
    </message>
    <message>
        <source>each gets the result</source>
        <translation>每个都得到结果</translation>
    </message>
    <message>
        <source>each gets the whole</source>
        <translation>每个都得到整体</translation>
    </message>
    <message>
        <source>each loop once</source>
        <translation>每个循环一次</translation>
    </message>
    <message>
        <source>each needs the one before</source>
        <translation>每一轮都需要前一轮</translation>
    </message>
    <message>
        <source>each operation alone; transforms traced anew</source>
        <translation>每个运算单独执行；变换重新追踪</translation>
    </message>
    <message>
        <source>each result of as many elements is written over another one ({names})</source>
        <translation>元素个数相同的每个结果都写到另一个参数上（{names}）</translation>
    </message>
    <message>
        <source>each result of its type is written over another one ({names})</source>
        <translation>与它类型相同的每个结果都写到另一个参数上（{names}）</translation>
    </message>
    <message>
        <source>each row times the matrix of its own group; where XLA has no instruction for it, as for a CPU, each row is multiplied by the matrices of all groups</source>
        <translation>每一行乘以其所属组的矩阵；在 XLA 没有相应指令之处（如 CPU），每一行要乘以所有组的矩阵</translation>
    </message>
    <message>
        <source>each side was compiled for its own</source>
        <translation>两侧各为自己的编译</translation>
    </message>
    <message>
        <source>each time it runs</source>
        <translation>每次运行</translation>
    </message>
    <message>
        <source>eager</source>
        <translation>急切执行</translation>
    </message>
    <message>
        <source>eager against jit</source>
        <translation>急切执行对 jit</translation>
    </message>
    <message>
        <source>eager at {size:,} failed at call {number} and is left out: {why}</source>
        <translation>急切执行在 {size:,} 处的第 {number} 次调用失败，不计入：{why}</translation>
    </message>
    <message>
        <source>eager at {size:,}: {why}</source>
        <translation>急切执行，{size:,} 处：{why}</translation>
    </message>
    <message>
        <source>eager/jit</source>
        <translation>急切/jit</translation>
    </message>
    <message>
        <source>earlier run</source>
        <translation>更早的运行</translation>
    </message>
    <message>
        <source>eigenvectors may differ by a sign</source>
        <translation>特征向量可能相差一个符号</translation>
    </message>
    <message>
        <source>either side</source>
        <translation>两侧</translation>
    </message>
    <message>
        <source>elementwise</source>
        <translation>逐元素</translation>
    </message>
    <message>
        <source>elsewhere</source>
        <translation>其他阶段</translation>
    </message>
    <message>
        <source>emitting kernels</source>
        <translation>生成内核</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>相等</translation>
    </message>
    <message>
        <source>equation</source>
        <translation>方程</translation>
    </message>
    <message>
        <source>equation {id}</source>
        <translation>方程 {id}</translation>
    </message>
    <message>
        <source>equation {names}</source>
        <translation>方程 {names}</translation>
    </message>
    <message>
        <source>equation {name} ({operation})</source>
        <translation>方程 {name}（{operation}）</translation>
    </message>
    <message>
        <source>equations</source>
        <translation>方程</translation>
    </message>
    <message>
        <source>equations ended</source>
        <translation>结束的方程</translation>
    </message>
    <message>
        <source>equations {ids} and {last}</source>
        <translation>方程 {ids} 和 {last}</translation>
    </message>
    <message>
        <source>equations {names}</source>
        <translation>方程 {names}</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>estimated peak</source>
        <translation>估计的峰值</translation>
    </message>
    <message>
        <source>evaluating the call</source>
        <translation>求调用的值</translation>
    </message>
    <message>
        <source>every device sends a part to every other</source>
        <translation>每个设备向其他每个设备各发送一部分</translation>
    </message>
    <message>
        <source>every device sends parts of differing size to every other</source>
        <translation>每个设备向其他每个设备发送大小不同的部分</translation>
    </message>
    <message>
        <source>everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>execute reload refresh</source>
        <translation>执行 重新加载 刷新 execute reload refresh</translation>
    </message>
    <message>
        <source>exit</source>
        <translation>退出 exit</translation>
    </message>
    <message>
        <source>exp(x) - 1 loses the digits of a small x: below 5.9e-8 in float32 it is 0.</source>
        <translation>exp(x) - 1 会丢失小的 x 的位数：在 float32 中，x 低于 5.9e-8 时结果为 0。</translation>
    </message>
    <message>
        <source>exp(x) / sum(exp(x)) without a maximum subtracted: exp overflows where x is above 88 (float32) or 11 (float16), and inf / inf is NaN.</source>
        <translation>exp(x) / sum(exp(x)) 没有减去最大值：x 高于 88（float32）或 11（float16）时 exp 上溢，而 inf / inf 是 NaN。</translation>
    </message>
    <message>
        <source>exp(x) − 1, exact for small x.</source>
        <translation>exp(x) − 1，对小的 x 精确。</translation>
    </message>
    <message>
        <source>exp, sqrt and the like, which XLA counts apart</source>
        <translation>exp、sqrt 等，XLA 单独计数</translation>
    </message>
    <message>
        <source>experimenting</source>
        <translation>正在实验</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>failed at call {number}, so its durations are partial or missing</source>
        <translation>在第 {number} 次调用时失败，所以它的时间不完整或缺失</translation>
    </message>
    <message>
        <source>failed at call {number}, so only calls of its warm-up are left: partial</source>
        <translation>在第 {number} 次调用时失败，所以只剩下预热的调用：不完整</translation>
    </message>
    <message>
        <source>faster</source>
        <translation>更快</translation>
    </message>
    <message>
        <source>fate</source>
        <translation>去向</translation>
    </message>
    <message>
        <source>fates belong to the equations of the jaxpr</source>
        <translation>去向属于 jaxpr 的方程</translation>
    </message>
    <message>
        <source>fewer</source>
        <translation>更少</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>finite operands</source>
        <translation>有限的操作数</translation>
    </message>
    <message>
        <source>first</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>first at {place}</source>
        <translation>首先在 {place}</translation>
    </message>
    <message>
        <source>first call</source>
        <translation>首次调用</translation>
    </message>
    <message>
        <source>first calls</source>
        <translation>最初的调用</translation>
    </message>
    <message>
        <source>first derivative</source>
        <translation>一阶导数</translation>
    </message>
    <message>
        <source>first: {first}</source>
        <translation>第一个：{first}</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>装得下</translation>
    </message>
    <message>
        <source>float64 runs the same equations in double precision, on the same arguments and constants, and rounds each value to the type that it has here.</source>
        <translation>float64 用双精度运行相同的方程，参数和常量相同，再把每个值舍入到它在这里的类型。</translation>
    </message>
    <message>
        <source>floats; whole numbers are divided towards zero</source>
        <translation>浮点数；整数相除时向零取整</translation>
    </message>
    <message>
        <source>folded</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>folded by {by} into the product that read it: that now reads {what} in the other order</source>
        <translation>被 {by} 折进读取它的乘积：后者现在以另一种次序读取 {what}</translation>
    </message>
    <message>
        <source>for example</source>
        <translation>例如</translation>
    </message>
    <message>
        <source>for one of {calls} calls of its function; the others count at the lines that make them</source>
        <translation>这是其函数 {calls} 次调用中的一次；其余各次计在发起调用的行</translation>
    </message>
    <message>
        <source>for the JVP: no element is zero</source>
        <translation>对 JVP 而言：没有元素为零</translation>
    </message>
    <message>
        <source>for the derivative: floats</source>
        <translation>对导数而言：浮点数</translation>
    </message>
    <message>
        <source>for the derivatives: x is positive</source>
        <translation>对各导数而言：x 为正</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>forward pass</source>
        <translation>前向过程</translation>
    </message>
    <message>
        <source>found</source>
        <translation>找到的</translation>
    </message>
    <message>
        <source>fourth derivative</source>
        <translation>四阶导数</translation>
    </message>
    <message>
        <source>from</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>from its operands</source>
        <translation>来自它的操作数</translation>
    </message>
    <message>
        <source>from layout {before} to {after}</source>
        <translation>布局从 {before} 变为 {after}</translation>
    </message>
    <message>
        <source>from {amount}</source>
        <translation>从 {amount} 起</translation>
    </message>
    <message>
        <source>from {element}</source>
        <translation>来自 {element}</translation>
    </message>
    <message>
        <source>function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>fused</source>
        <translation>已融合</translation>
    </message>
    <message>
        <source>fused into {place}</source>
        <translation>融合进 {place}</translation>
    </message>
    <message>
        <source>fusion</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>fusions</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>gap</source>
        <translation>间隙</translation>
    </message>
    <message>
        <source>global `{name}` {change}</source>
        <translation>全局变量 `{name}` {change}</translation>
    </message>
    <message>
        <source>goes to</source>
        <translation>去往</translation>
    </message>
    <message>
        <source>gone since {by}, which made what it stood in anew; which of the new instructions are its own is not told</source>
        <translation>自 {by} 起消失，该 pass 重新生成了它所在的部分；新指令中哪些属于它没有说明</translation>
    </message>
    <message>
        <source>gone since {by}, with {caller} that it stood in; what used that is still there, and what became of it is not told</source>
        <translation>自 {by} 起与它所在的 {caller} 一同消失；使用其结果的指令仍在，它变成了什么不得而知</translation>
    </message>
    <message>
        <source>gone since {by}: the function that gets it does not use it</source>
        <translation>自 {by} 起消失：得到它的函数不使用它</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>gradient of its sum</source>
        <translation>其和的梯度</translation>
    </message>
    <message>
        <source>gradient of {path}</source>
        <translation>{path} 的梯度</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>hands its operand on</source>
        <translation>把操作数传下去</translation>
    </message>
    <message>
        <source>hands on the whole block that its kernel reads</source>
        <translation>把它的内核所读取的整块传下去</translation>
    </message>
    <message>
        <source>has</source>
        <translation>拥有</translation>
    </message>
    <message>
        <source>has a kernel of its own, {place}</source>
        <translation>有单独的内核 {place}</translation>
    </message>
    <message>
        <source>here and in line {line}</source>
        <translation>在这里和第 {line} 行</translation>
    </message>
    <message>
        <source>here, and at {others}</source>
        <translation>这里和 {others}</translation>
    </message>
    <message>
        <source>high</source>
        <translation>高</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>how</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>how much a device sends is not known</source>
        <translation>每个设备发送多少未知</translation>
    </message>
    <message>
        <source>how often the loop runs is not known before it runs</source>
        <translation>循环运行多少次，在运行之前不知道</translation>
    </message>
    <message>
        <source>id</source>
        <translation>id</translation>
    </message>
    <message>
        <source>image figure slide clipboard PNG</source>
        <translation>图像 插图 幻灯片 剪贴板 image figure slide clipboard copy PNG</translation>
    </message>
    <message>
        <source>importing the file</source>
        <translation>导入文件</translation>
    </message>
    <message>
        <source>in</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>in a process with</source>
        <translation>所用进程的</translation>
    </message>
    <message>
        <source>in all of them: {range}</source>
        <translation>在所有这些运行中：{range}</translation>
    </message>
    <message>
        <source>in every round of a while loop</source>
        <translation>（while 循环的每一轮都调用）</translation>
    </message>
    <message>
        <source>in loops: cost of one round</source>
        <translation>循环中的部分：按一轮计</translation>
    </message>
    <message>
        <source>in six processes</source>
        <translation>用六个进程</translation>
    </message>
    <message>
        <source>indices inside the operand</source>
        <translation>下标在操作数之内</translation>
    </message>
    <message>
        <source>inferred</source>
        <translation>推断</translation>
    </message>
    <message>
        <source>info</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>inside</source>
        <translation>内部</translation>
    </message>
    <message>
        <source>inspector panel show hide close</source>
        <translation>检查器 面板 显示 隐藏 关闭 inspector panel show hide close</translation>
    </message>
    <message>
        <source>instruction</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>intensity</source>
        <translation>强度</translation>
    </message>
    <message>
        <source>into</source>
        <translation>并入</translation>
    </message>
    <message>
        <source>is the constant {names}</source>
        <translation>就是常量 {names}</translation>
    </message>
    <message>
        <source>is the instruction {place} of its own</source>
        <translation>是单独的指令 {place}</translation>
    </message>
    <message>
        <source>it and {other} undo each other</source>
        <translation>它与 {other} 互相抵消</translation>
    </message>
    <message>
        <source>it decides which JAX can be used</source>
        <translation>它决定可以使用哪个 JAX</translation>
    </message>
    <message>
        <source>it is Python code of the program</source>
        <translation>它是程序的 Python 代码</translation>
    </message>
    <message>
        <source>it is a call of a linear algebra library, whose work XLA does not count</source>
        <translation>它调用线性代数库，XLA 不计入其工作量</translation>
    </message>
    <message>
        <source>it is a loop inside XLA's lowering</source>
        <translation>它是 XLA 的 lower 过程内部的循环</translation>
    </message>
    <message>
        <source>it is a series that is summed until it converges</source>
        <translation>它是一个求和到收敛为止的级数</translation>
    </message>
    <message>
        <source>it is code outside JAX and XLA</source>
        <translation>它是 JAX 和 XLA 之外的代码</translation>
    </message>
    <message>
        <source>it is lowered differently for each device</source>
        <translation>它在每种设备上的 lower 方式不同</translation>
    </message>
    <message>
        <source>it only decided the choice of {choices} between equals</source>
        <translation>它只决定了 {choices} 在相等的值之间的选择</translation>
    </message>
    <message>
        <source>it reduces along axes of length one</source>
        <translation>它沿长度为一的轴归约</translation>
    </message>
    <message>
        <source>its branches cost differently, and which one runs depends on values</source>
        <translation>它的各个分支开销不同，运行哪个取决于值</translation>
    </message>
    <message>
        <source>its first call after compiling</source>
        <translation>编译后的第一次调用</translation>
    </message>
    <message>
        <source>its first call without jit: compiles every operation</source>
        <translation>不用 jit 的第一次调用：编译每个运算</translation>
    </message>
    <message>
        <source>its gradient</source>
        <translation>它的梯度</translation>
    </message>
    <message>
        <source>its inside</source>
        <translation>它的内部</translation>
    </message>
    <message>
        <source>its one equation: {fate}</source>
        <translation>它唯一的方程：{fate}</translation>
    </message>
    <message>
        <source>its operands cannot be read</source>
        <translation>它的操作数无法读取</translation>
    </message>
    <message>
        <source>its result has no elements</source>
        <translation>它的结果没有元素</translation>
    </message>
    <message>
        <source>its result is its operand as it was</source>
        <translation>它的结果就是原来的操作数</translation>
    </message>
    <message>
        <source>its tracing, line by line</source>
        <translation>它的追踪，逐行</translation>
    </message>
    <message>
        <source>its work, which is not known,</source>
        <translation>它的（未知的）工作量</translation>
    </message>
    <message>
        <source>jax.debug.print("x = {x}", x=x), which runs with the program.</source>
        <translation>jax.debug.print("x = {x}", x=x)，它随程序一起运行。</translation>
    </message>
    <message>
        <source>jax.nn.log_sigmoid(x); of 1 - sigmoid(x): jax.nn.log_sigmoid(-x)</source>
        <translation>jax.nn.log_sigmoid(x)；对 1 - sigmoid(x)：jax.nn.log_sigmoid(-x)</translation>
    </message>
    <message>
        <source>jax.nn.softmax(x, axis={axis}), with no transposes.</source>
        <translation>jax.nn.softmax(x, axis={axis})，不用转置。</translation>
    </message>
    <message>
        <source>jax.nn.softplus(x), or jnp.logaddexp(x, 0.0)</source>
        <translation>jax.nn.softplus(x)，或者 jnp.logaddexp(x, 0.0)</translation>
    </message>
    <message>
        <source>jax.vmap(one_round)(xs), or jax.lax.map(one_round, xs) where that takes less memory.</source>
        <translation>jax.vmap(one_round)(xs)，或者在更省内存时用 jax.lax.map(one_round, xs)。</translation>
    </message>
    <message>
        <source>jax_debug_nans or jax_debug_infs is on: each result is checked, slowly.</source>
        <translation>jax_debug_nans 或 jax_debug_infs 已打开：每个结果都要检查，很慢。</translation>
    </message>
    <message>
        <source>jax_disable_jit is on, so a run compiles nothing: this is the program that jit makes where it is off.</source>
        <translation>jax_disable_jit 已打开，所以运行时什么也不编译：这是关闭它时 jit 生成的程序。</translation>
    </message>
    <message>
        <source>jax_disable_jit is on: nothing is compiled, so only eager runs count.</source>
        <translation>jax_disable_jit 已打开：什么也不编译，所以只有急切执行有意义。</translation>
    </message>
    <message>
        <source>jax_enable_x64 is on: Python numbers become 64 bits wide.</source>
        <translation>jax_enable_x64 已打开：Python 的数变成 64 位。</translation>
    </message>
    <message>
        <source>jaxpr</source>
        <translation>jaxpr</translation>
    </message>
    <message>
        <source>jaxscope capture FILE [CALL] -o out.json writes one.</source>
        <translation>jaxscope capture FILE [CALL] -o out.json 会写出一个。</translation>
    </message>
    <message>
        <source>jaxscope could not find the fates, which is a bug in jaxscope</source>
        <translation>jaxscope 找不出去向，这是 jaxscope 的一个缺陷</translation>
    </message>
    <message>
        <source>jaxscope could not follow this program, which is a bug in jaxscope: {why}</source>
        <translation>jaxscope 无法追查这个程序，这是 jaxscope 的一个缺陷：{why}</translation>
    </message>
    <message>
        <source>jaxscope could not look into the fusions, which is a bug in jaxscope</source>
        <translation>jaxscope 无法查看融合，这是 jaxscope 的一个缺陷</translation>
    </message>
    <message>
        <source>jaxscope runs files without a terminal: remove `breakpoint()`, print with `jax.debug.print` instead.</source>
        <translation>jaxscope 运行文件时没有终端：请去掉 `breakpoint()`，改用 `jax.debug.print` 打印。</translation>
    </message>
    <message>
        <source>jaxscope runs files without a terminal: replace `input()` by a value.</source>
        <translation>jaxscope 运行文件时没有终端：请用一个值代替 `input()`。</translation>
    </message>
    <message>
        <source>jaxscope shows what JAX makes of a call of a function.</source>
        <translation>jaxscope 显示 JAX 如何处理对一个函数的调用。</translation>
    </message>
    <message>
        <source>jaxscope time FILE [CALL] --save out.json writes one.</source>
        <translation>jaxscope time FILE [CALL] --save out.json 会写出一个。</translation>
    </message>
    <message>
        <source>jit</source>
        <translation>jit</translation>
    </message>
    <message>
        <source>jit faster, by how much differs widely</source>
        <translation>jit 更快，快多少相差很大</translation>
    </message>
    <message>
        <source>jit faster{pairs}</source>
        <translation>jit 更快 {pairs}</translation>
    </message>
    <message>
        <source>jit is the whole program compiled with the value of one equation as a further result, each in its turn: without it XLA may fuse in another way.</source>
        <translation>jit 是把一个方程的值作为附加结果来编译整个程序，逐个进行：没有这个结果时，XLA 的融合方式可能不同。</translation>
    </message>
    <message>
        <source>jit slower, by how much differs widely</source>
        <translation>jit 更慢，慢多少相差很大</translation>
    </message>
    <message>
        <source>jit slower{pairs}</source>
        <translation>jit 更慢 {pairs}</translation>
    </message>
    <message>
        <source>jit takes the same time</source>
        <translation>jit 用时相同</translation>
    </message>
    <message>
        <source>jit was given other options. Decorate the function once.</source>
        <translation>给 jit 的选项不同。请只装饰函数一次。</translation>
    </message>
    <message>
        <source>jit {factor} of eager's speed</source>
        <translation>jit 的速度是 eager 的 {factor}</translation>
    </message>
    <message>
        <source>jit {factor} times faster</source>
        <translation>jit 的速度是 {factor} 倍</translation>
    </message>
    <message>
        <source>jnp.sort(x), of the array as it is.</source>
        <translation>jnp.sort(x)，直接对原来的数组排序。</translation>
    </message>
    <message>
        <source>jnp.var(x), which subtracts the mean first</source>
        <translation>jnp.var(x)，它先减去均值</translation>
    </message>
    <message>
        <source>jnp.where drops the value of this {name} where its operand is 0, and not its derivative: that is infinite there, and times the 0 that where passes back it is NaN.</source>
        <translation>jnp.where 在这个 {name} 的操作数为 0 时丢掉它的值，却没有丢掉它的导数：导数在那里是无穷大，乘以 where 传回的 0 就是 NaN。</translation>
    </message>
    <message>
        <source>jnp.where drops the value of this {name} where its operand is negative, and not its derivative: that is NaN there, and times the 0 that where passes back it stays NaN.</source>
        <translation>jnp.where 在这个 {name} 的操作数为负时丢掉它的值，却没有丢掉它的导数：导数在那里是 NaN，乘以 where 传回的 0 仍是 NaN。</translation>
    </message>
    <message>
        <source>job watch recompilation arguments python</source>
        <translation>作业 监视 重新编译 参数 job watch python</translation>
    </message>
    <message>
        <source>jvp takes a function, its primals and their tangents.</source>
        <translation>jvp 需要一个函数、它的原值和它们的切向量。</translation>
    </message>
    <message>
        <source>keeps arguments only and computes all else again</source>
        <translation>只保留参数，其余全部重新计算</translation>
    </message>
    <message>
        <source>keeps results of matrix products without batch dimensions</source>
        <translation>保留没有批次维度的矩阵乘积的结果</translation>
    </message>
    <message>
        <source>keeps results of matrix products, computes the rest again</source>
        <translation>保留矩阵乘积的结果，其余重新计算</translation>
    </message>
    <message>
        <source>keeps what the program gave these names to with checkpoint_name</source>
        <translation>保留程序用 checkpoint_name 起了这些名称的内容</translation>
    </message>
    <message>
        <source>keeps whatever the backward part reads</source>
        <translation>保留反向部分所读取的一切</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>kernel of its own</source>
        <translation>单独的内核</translation>
    </message>
    <message>
        <source>kernel × {steps}; bytes unknown: the kernel decides what it keeps</source>
        <translation>内核 × {steps}；字节数未知：由内核决定保留什么</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>key, subkey = jax.random.split(key), and use each of the two once; in a loop, split the key in each round or use jax.random.fold_in(key, i).</source>
        <translation>key, subkey = jax.random.split(key)，两个各用一次；在循环中，每一轮分裂密钥，或者用 jax.random.fold_in(key, i)。</translation>
    </message>
    <message>
        <source>keyboard shortcuts</source>
        <translation>键盘 快捷键 keyboard shortcuts</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>known {quantity} of {title}</source>
        <translation>{title} 已知的 {quantity}</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>left open to the compiler</source>
        <translation>留给编译器决定</translation>
    </message>
    <message>
        <source>less</source>
        <translation>少</translation>
    </message>
    <message>
        <source>less time</source>
        <translation>更少</translation>
    </message>
    <message>
        <source>library</source>
        <translation>库</translation>
    </message>
    <message>
        <source>library call</source>
        <translation>库调用</translation>
    </message>
    <message>
        <source>light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>line goes on</source>
        <translation>连线续接</translation>
    </message>
    <message>
        <source>line {line}</source>
        <translation>第 {line} 行</translation>
    </message>
    <message>
        <source>line {line} changes it, and what was compiled before keeps the old value</source>
        <translation>第 {line} 行改变它，而此前编译的程序保留旧值</translation>
    </message>
    <message>
        <source>line {line}: {lines}</source>
        <translation>第 {line} 行：{lines}</translation>
    </message>
    <message>
        <source>lines {lines}</source>
        <translation>第 {lines} 行</translation>
    </message>
    <message>
        <source>linked</source>
        <translation>关联</translation>
    </message>
    <message>
        <source>linked to what is selected</source>
        <translation>与所选内容相关联</translation>
    </message>
    <message>
        <source>linked to what is selected, which is in the backward pass</source>
        <translation>与所选内容相关联，所选内容属于反向过程</translation>
    </message>
    <message>
        <source>linked, backward</source>
        <translation>关联，反向</translation>
    </message>
    <message>
        <source>linked, forward</source>
        <translation>关联，前向</translation>
    </message>
    <message>
        <source>load capture HLO StableHLO profile</source>
        <translation>加载 载入 load capture HLO StableHLO profile</translation>
    </message>
    <message>
        <source>load {load:.1f} on {num} processors</source>
        <translation>{num} 个处理器上的负载为 {load:.1f}</translation>
    </message>
    <message>
        <source>log(0) is -inf, and the log of a negative number is NaN, without an error.</source>
        <translation>log(0) 是 -inf，负数的对数是 NaN，都不报错。</translation>
    </message>
    <message>
        <source>log(1 + exp(x)) overflows where x is above 88 (float32), and is 0 where x is below -17.</source>
        <translation>log(1 + exp(x)) 在 x 高于 88（float32）时上溢，在 x 低于 -17 时为 0。</translation>
    </message>
    <message>
        <source>log(1 + x) loses the digits of a small x: of x = 1e-6 in float32 five percent are wrong, and below 5.9e-8 it is 0.</source>
        <translation>log(1 + x) 会丢失小的 x 的位数：在 float32 中 x = 1e-6 时有百分之五的误差，低于 5.9e-8 时结果为 0。</translation>
    </message>
    <message>
        <source>log(1 + x), exact for small x.</source>
        <translation>log(1 + x)，对小的 x 精确。</translation>
    </message>
    <message>
        <source>log(sum(exp(x))) without a maximum subtracted: exp overflows to inf where x is above 88 (float32) or 11 (float16), and all is below -104 gives -inf.</source>
        <translation>log(sum(exp(x))) 没有减去最大值：x 高于 88（float32）或 11（float16）时 exp 上溢为 inf，全部低于 -104 时得到 -inf。</translation>
    </message>
    <message>
        <source>log1p(exp(x)) overflows where x is above 88 (float32).</source>
        <translation>log1p(exp(x)) 在 x 高于 88（float32）时上溢。</translation>
    </message>
    <message>
        <source>longer</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>looking for a call that traces</source>
        <translation>正在寻找能够追踪的调用</translation>
    </message>
    <message>
        <source>looking for arguments that {function} takes</source>
        <translation>正在寻找 {function} 能接受的参数</translation>
    </message>
    <message>
        <source>loop: Python calls the jitted function once for each element, and waits for all at the end. vmap: one call of the jitted vmap of it.</source>
        <translation>loop：Python 对每个元素调用一次 jit 函数，最后等待全部结果。vmap：对它的 vmap 的 jit 调用一次。</translation>
    </message>
    <message>
        <source>low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>lower</source>
        <translation>lower</translation>
    </message>
    <message>
        <source>lowering</source>
        <translation>lower</translation>
    </message>
    <message>
        <source>lowering to StableHLO</source>
        <translation>lower 到 StableHLO</translation>
    </message>
    <message>
        <source>lowest and highest</source>
        <translation>最低和最高</translation>
    </message>
    <message>
        <source>machine code</source>
        <translation>机器码</translation>
    </message>
    <message>
        <source>made with</source>
        <translation>生成方式</translation>
    </message>
    <message>
        <source>makes its operand the whole block that its kernel writes</source>
        <translation>使它的操作数成为它的内核所写入的整块</translation>
    </message>
    <message>
        <source>manual</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>manual over {axes}</source>
        <translation>沿 {axes} 手动</translation>
    </message>
    <message>
        <source>many coefficients are lowered to a loop</source>
        <translation>许多系数会 lower 成一个循环</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>测得</translation>
    </message>
    <message>
        <source>measured faster</source>
        <translation>实测更快</translation>
    </message>
    <message>
        <source>measured from {began} to {ended} of the run</source>
        <translation>在运行的 {began} 到 {ended} 测量</translation>
    </message>
    <message>
        <source>measured time</source>
        <translation>测得的时间</translation>
    </message>
    <message>
        <source>measuring</source>
        <translation>正在测量</translation>
    </message>
    <message>
        <source>measuring: {step}</source>
        <translation>正在测量：{step}</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>memory fetched anew (page faults a call: {faults})</source>
        <translation>内存要重新取得（每次调用的缺页次数：{faults}）</translation>
    </message>
    <message>
        <source>memory traffic</source>
        <translation>内存流量</translation>
    </message>
    <message>
        <source>memory traffic, by XLA's rules</source>
        <translation>按 XLA 规则计的内存流量</translation>
    </message>
    <message>
        <source>merged</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>merged with another</source>
        <translation>与另一个合并</translation>
    </message>
    <message>
        <source>merged with {name}: the same function of the same operands</source>
        <translation>与 {name} 合并：对相同的操作数调用相同的函数</translation>
    </message>
    <message>
        <source>merged with {whom} by {by}: the same on the same operands</source>
        <translation>被 {by} 与 {whom} 合并：对相同的操作数做相同的运算</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>mind</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>more</source>
        <translation>多</translation>
    </message>
    <message>
        <source>more than any other line of</source>
        <translation>比其他任何一行都多的</translation>
    </message>
    <message>
        <source>more than two cases</source>
        <translation>情况多于两种</translation>
    </message>
    <message>
        <source>most of</source>
        <translation>大部分</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>multiplying by 1</source>
        <translation>乘以 1</translation>
    </message>
    <message>
        <source>n=1..64, for a name n in the call</source>
        <translation>n=1..64，n 是调用中的名称</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>named scopes</source>
        <translation>具名作用域</translation>
    </message>
    <message>
        <source>nan, inf, &gt; 1e3, == 0, shape [8, 3], dtype bfloat16; or several</source>
        <translation>nan, inf, &gt; 1e3, == 0, shape [8, 3], dtype bfloat16；可以写多个</translation>
    </message>
    <message>
        <source>needs</source>
        <translation>需要</translation>
    </message>
    <message>
        <source>needs {needed}, has {there}</source>
        <translation>需要 {needed}，拥有 {there}</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>next carry</source>
        <translation>下一个 carry</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>no batch dimensions; what flows back: matrices, x's columns times y's rows</source>
        <translation>没有批次维度；流回的内容：矩阵，x 的列乘以 y 的行</translation>
    </message>
    <message>
        <source>no cache</source>
        <translation>没有缓存</translation>
    </message>
    <message>
        <source>no device</source>
        <translation>不选设备</translation>
    </message>
    <message>
        <source>no difference in {elements}</source>
        <translation>{elements}没有差别</translation>
    </message>
    <message>
        <source>no dimension of x grows from size one; the cotangent is also summed over those that do</source>
        <translation>x 没有从大小一变大的维度；余切还要对变大的维度求和</translation>
    </message>
    <message>
        <source>no equation</source>
        <translation>没有方程</translation>
    </message>
    <message>
        <source>no finite element</source>
        <translation>没有有限的元素</translation>
    </message>
    <message>
        <source>no floats</source>
        <translation>没有浮点数</translation>
    </message>
    <message>
        <source>no histogram: nothing is finite, or the range is not</source>
        <translation>没有直方图：没有有限的值，或范围不是有限的</translation>
    </message>
    <message>
        <source>no instruction</source>
        <translation>没有指令</translation>
    </message>
    <message>
        <source>no known line</source>
        <translation>没有已知的行</translation>
    </message>
    <message>
        <source>no known origin</source>
        <translation>来源未知</translation>
    </message>
    <message>
        <source>no line of this Python in its own thread; it calls functions back</source>
        <translation>自己的线程中没有这段 Python 的任何一行；程序会回调函数</translation>
    </message>
    <message>
        <source>no line of this Python: only the compiled program</source>
        <translation>这段 Python 的 0 行：只运行编译后的程序</translation>
    </message>
    <message>
        <source>no longer part of the state of its loop since {by}</source>
        <translation>自 {by} 起不再是它的循环状态的一部分</translation>
    </message>
    <message>
        <source>no named scope</source>
        <translation>没有具名作用域</translation>
    </message>
    <message>
        <source>no node here tells where it came from</source>
        <translation>这里没有节点说明它的来源</translation>
    </message>
    <message>
        <source>no operation</source>
        <translation>没有运算</translation>
    </message>
    <message>
        <source>no padding is negative, and none is between elements</source>
        <translation>填充都不为负，元素之间也没有填充</translation>
    </message>
    <message>
        <source>no reason was written</source>
        <translation>没有写明原因</translation>
    </message>
    <message>
        <source>no result has its type, or as many elements ({count:,})</source>
        <translation>没有结果与它类型相同，也没有结果的元素个数相同（{count:,}）</translation>
    </message>
    <message>
        <source>no rule counts {primitive}</source>
        <translation>没有计算 {primitive} 的规则</translation>
    </message>
    <message>
        <source>no scope</source>
        <translation>没有作用域</translation>
    </message>
    <message>
        <source>no strides</source>
        <translation>没有步长</translation>
    </message>
    <message>
        <source>no value is</source>
        <translation>没有值</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>noisy</source>
        <translation>有噪声</translation>
    </message>
    <message>
        <source>noisy {told}</source>
        <translation>有噪声 {told}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>none needs another</source>
        <translation>各轮互不需要</translation>
    </message>
    <message>
        <source>none of the listed rules applies.</source>
        <translation>列出的规则都不适用。</translation>
    </message>
    <message>
        <source>not attributed</source>
        <translation>未归属</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>没有</translation>
    </message>
    <message>
        <source>not compared: {why}</source>
        <translation>没有比较：{why}</translation>
    </message>
    <message>
        <source>not decided if jit is faster ({interval})</source>
        <translation>没有判定 jit 是否更快（{interval}）</translation>
    </message>
    <message>
        <source>not decided if jit is faster: times differ widely</source>
        <translation>没有判定 jit 是否更快：时间相差很大</translation>
    </message>
    <message>
        <source>not in the program that is shown</source>
        <translation>不在所显示的程序中</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>没有安装</translation>
    </message>
    <message>
        <source>not known: {problem}</source>
        <translation>未知：{problem}</translation>
    </message>
    <message>
        <source>not searched</source>
        <translation>未搜索</translation>
    </message>
    <message>
        <source>not seen</source>
        <translation>未采到</translation>
    </message>
    <message>
        <source>not there now</source>
        <translation>现在不在</translation>
    </message>
    <message>
        <source>not visible in the keys</source>
        <translation>在键中看不出</translation>
    </message>
    <message>
        <source>note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>nothing any more</source>
        <translation>已不存在</translation>
    </message>
    <message>
        <source>nothing comes from it</source>
        <translation>没有由它产生的内容</translation>
    </message>
    <message>
        <source>nothing is NaN</source>
        <translation>没有 NaN</translation>
    </message>
    <message>
        <source>nothing is NaN, and no two are equal</source>
        <translation>没有 NaN，也没有两个相等</translation>
    </message>
    <message>
        <source>nothing of this is known here</source>
        <translation>这里对此一无所知</translation>
    </message>
    <message>
        <source>nothing uses its result</source>
        <translation>没有谁使用它的结果</translation>
    </message>
    <message>
        <source>nothing: it has no intermediate result</source>
        <translation>没有：它没有中间结果</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>观察到</translation>
    </message>
    <message>
        <source>observed {seen}</source>
        <translation>观测值 {seen}</translation>
    </message>
    <message>
        <source>of</source>
        <translation>，解释器</translation>
    </message>
    <message>
        <source>of JAX</source>
        <translation>来自 JAX</translation>
    </message>
    <message>
        <source>of all work</source>
        <translation>占全部工作</translation>
    </message>
    <message>
        <source>of an earlier run</source>
        <translation>来自更早的运行</translation>
    </message>
    <message>
        <source>of another structure</source>
        <translation>结构不同</translation>
    </message>
    <message>
        <source>of its {count} equations: {counted}</source>
        <translation>它的 {count} 个方程中：{counted}</translation>
    </message>
    <message>
        <source>of no known origin</source>
        <translation>来源未知</translation>
    </message>
    <message>
        <source>of no stated kind</source>
        <translation>未说明种类</translation>
    </message>
    <message>
        <source>of one device</source>
        <translation>单个设备的</translation>
    </message>
    <message>
        <source>of one of which it had {share}</source>
        <translation>其中一个处理器有 {share} 的时间归它</translation>
    </message>
    <message>
        <source>of the file</source>
        <translation>所在文件</translation>
    </message>
    <message>
        <source>of the same memory, as its layout turns with it</source>
        <translation>使用同一内存，因为布局随之转置</translation>
    </message>
    <message>
        <source>on</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>on a CPU</source>
        <translation>在 CPU 上</translation>
    </message>
    <message>
        <source>on a device</source>
        <translation>每个设备上</translation>
    </message>
    <message>
        <source>on average a device sends at least {sent}</source>
        <translation>平均每个设备至少发送 {sent}</translation>
    </message>
    <message>
        <source>on request</source>
        <translation>按需生成</translation>
    </message>
    <message>
        <source>on the device</source>
        <translation>设备上</translation>
    </message>
    <message>
        <source>on the {side} side: {why}</source>
        <translation>{side}程序：{why}</translation>
    </message>
    <message>
        <source>on {host}, {device}</source>
        <translation>{host}，{device}</translation>
    </message>
    <message>
        <source>once</source>
        <translation>一次</translation>
    </message>
    <message>
        <source>one device</source>
        <translation>一个设备</translation>
    </message>
    <message>
        <source>one device along the axis</source>
        <translation>沿这个轴只有一个设备</translation>
    </message>
    <message>
        <source>one device along the axis, `tiled` is false</source>
        <translation>沿这个轴只有一个设备，`tiled` 为 false</translation>
    </message>
    <message>
        <source>one device in the group; else the sum of the devices' arrays</source>
        <translation>组中只有一个设备；否则是各设备的数组之和</translation>
    </message>
    <message>
        <source>one device sends its value to the others</source>
        <translation>一个设备把自己的值发给其他设备</translation>
    </message>
    <message>
        <source>one device, which holds all of it</source>
        <translation>一个设备，持有全部内容</translation>
    </message>
    <message>
        <source>one image, one channel, no padding, strides or dilation</source>
        <translation>一幅图像，一个通道，没有填充、步长和空洞</translation>
    </message>
    <message>
        <source>one loop over the elements of its result, each computed from the operands at once</source>
        <translation>对结果的元素做一个循环，每个元素一次由操作数算出</translation>
    </message>
    <message>
        <source>one of {sampled:,} is drawn</source>
        <translation>每 {sampled:,} 个画一个</translation>
    </message>
    <message>
        <source>one operand</source>
        <translation>一个操作数</translation>
    </message>
    <message>
        <source>one pair</source>
        <translation>一对</translation>
    </message>
    <message>
        <source>one process shows no interval, and a busy machine none either</source>
        <translation>一个进程得不到区间，繁忙的机器也得不到</translation>
    </message>
    <message>
        <source>one program</source>
        <translation>一个程序</translation>
    </message>
    <message>
        <source>one run</source>
        <translation>运行一次</translation>
    </message>
    <message>
        <source>one run each</source>
        <translation>各运行一次</translation>
    </message>
    <message>
        <source>only Threefry keys are counted</source>
        <translation>只计 Threefry 密钥</translation>
    </message>
    <message>
        <source>only a state of four 32-bit words is counted</source>
        <translation>只计由四个 32 位字组成的状态</translation>
    </message>
    <message>
        <source>only moves bytes</source>
        <translation>只移动字节</translation>
    </message>
    <message>
        <source>only seeds of Threefry keys are counted</source>
        <translation>只计 Threefry 密钥的种子</translation>
    </message>
    <message>
        <source>operand</source>
        <translation>操作数</translation>
    </message>
    <message>
        <source>operand {index} ← {name}</source>
        <translation>操作数 {index} ← {name}</translation>
    </message>
    <message>
        <source>operand {number}</source>
        <translation>操作数 {number}</translation>
    </message>
    <message>
        <source>operands</source>
        <translation>操作数</translation>
    </message>
    <message>
        <source>operands of two types</source>
        <translation>操作数有两种类型</translation>
    </message>
    <message>
        <source>operands that hold {kinds}</source>
        <translation>含有 {kinds} 的操作数</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>运算</translation>
    </message>
    <message>
        <source>optimized</source>
        <translation>优化后</translation>
    </message>
    <message>
        <source>or drop a .py file, a capture, a dump or a profile here</source>
        <translation>或把 .py 文件、捕获、转储或性能剖析拖到这里</translation>
    </message>
    <message>
        <source>origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>other derivatives</source>
        <translation>其他导数</translation>
    </message>
    <message>
        <source>other elements in result {number}</source>
        <translation>结果 {number} 中的元素不同</translation>
    </message>
    <message>
        <source>other options of jit</source>
        <translation>jit 的选项不同</translation>
    </message>
    <message>
        <source>other results</source>
        <translation>其他结果</translation>
    </message>
    <message>
        <source>other scopes</source>
        <translation>其他作用域</translation>
    </message>
    <message>
        <source>other threads meanwhile</source>
        <translation>同时的其他线程</translation>
    </message>
    <message>
        <source>other threads: {name}</source>
        <translation>其他线程：{name}</translation>
    </message>
    <message>
        <source>out</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>over a million</source>
        <translation>超过一百万</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>paired</source>
        <translation>配对</translation>
    </message>
    <message>
        <source>paired, {range}</source>
        <translation>配对，{range}</translation>
    </message>
    <message>
        <source>parsing the file</source>
        <translation>解析文件</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>part of each device</source>
        <translation>每个设备上的部分</translation>
    </message>
    <message>
        <source>part of what differs can be JAX's own</source>
        <translation>一部分差别可能来自 JAX 本身</translation>
    </message>
    <message>
        <source>part {number} of {num}</source>
        <translation>第 {number} 部分，共 {num} 部分</translation>
    </message>
    <message>
        <source>partial</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>partial: its warm-up, with nothing after it</source>
        <translation>部分：它的预热，之后没有内容</translation>
    </message>
    <message>
        <source>parts in</source>
        <translation>输入的各部分</translation>
    </message>
    <message>
        <source>parts out</source>
        <translation>输出的各部分</translation>
    </message>
    <message>
        <source>pass</source>
        <translation>pass</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>pass</translation>
    </message>
    <message>
        <source>path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>pays off after</source>
        <translation>何时收回编译</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>picture image figure slide print PNG SVG PDF HTML</source>
        <translation>图片 图像 插图 幻灯片 打印 picture image figure slide print PNG SVG PDF HTML</translation>
    </message>
    <message>
        <source>pip install pillow</source>
        <translation>pip install pillow</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>primitive</source>
        <translation>原语</translation>
    </message>
    <message>
        <source>producer</source>
        <translation>生产者</translation>
    </message>
    <message>
        <source>products of stored elements alone; what finds their places is not counted</source>
        <translation>只计所存元素的乘积；查找其位置的运算不计入</translation>
    </message>
    <message>
        <source>program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>proof: {place}:{what}</source>
        <translation>证据：{place}：{what}</translation>
    </message>
    <message>
        <source>proven</source>
        <translation>已证实</translation>
    </message>
    <message>
        <source>puts the parts of all together</source>
        <translation>把所有设备的部分合在一起</translation>
    </message>
    <message>
        <source>python environment venv virtualenv conda packages</source>
        <translation>python 环境 虚拟环境 venv virtualenv conda 软件包</translation>
    </message>
    <message>
        <source>pytree</source>
        <translation>pytree</translation>
    </message>
    <message>
        <source>quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>random numbers</source>
        <translation>随机数</translation>
    </message>
    <message>
        <source>random pairs of {units}</source>
        <translation>随机成对的{units}</translation>
    </message>
    <message>
        <source>random pairs, {units} of this form and {others} of the other</source>
        <translation>随机成对，这种方式为{units}，另一种为{others}</translation>
    </message>
    <message>
        <source>range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>ratio {factor}</source>
        <translation>比值 {factor}</translation>
    </message>
    <message>
        <source>read at</source>
        <translation>读取于</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>读取者</translation>
    </message>
    <message>
        <source>read, written</source>
        <translation>读写</translation>
    </message>
    <message>
        <source>reading the file</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>reduction</source>
        <translation>归约</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>releases of JAX draw from several keys of this kind differently</source>
        <translation>JAX 的各个版本从多个这种密钥抽取的方式不同</translation>
    </message>
    <message>
        <source>releases of JAX lower {primitive} differently</source>
        <translation>JAX 的各个版本 lower {primitive} 的方式不同</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>removed by {by} together with all that used it</source>
        <translation>被 {by} 删除，连同使用它的一切</translation>
    </message>
    <message>
        <source>removed by {by} together with {whom}: {what} takes their place</source>
        <translation>被 {by} 连同 {whom} 一起删除：由 {what} 取代它们</translation>
    </message>
    <message>
        <source>removed by {by}, for it changes nothing: {what} takes its place</source>
        <translation>被 {by} 删除，因为它不改变任何东西：由 {what} 取代它</translation>
    </message>
    <message>
        <source>removed by {by}, which simplified away what used it</source>
        <translation>被 {by} 删除，使用它的内容已被化简掉</translation>
    </message>
    <message>
        <source>removed by {by}: {what} gives this type itself now</source>
        <translation>被 {by} 删除：现在 {what} 自己给出这种类型</translation>
    </message>
    <message>
        <source>removed by {by}: {what} takes its place</source>
        <translation>被 {by} 删除：由 {what} 取代它</translation>
    </message>
    <message>
        <source>repeated</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>residual</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>result no. {number}</source>
        <translation>第 {number} 个结果</translation>
    </message>
    <message>
        <source>result {numbers} of {count} (of {link})</source>
        <translation>共 {count} 个结果中的第 {numbers} 个（来自 {link}）</translation>
    </message>
    <message>
        <source>result {number}</source>
        <translation>结果 {number}</translation>
    </message>
    <message>
        <source>results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>results after backward</source>
        <translation>反向部分之后的结果</translation>
    </message>
    <message>
        <source>results from backward</source>
        <translation>反向部分的结果</translation>
    </message>
    <message>
        <source>results that lie where donated arguments were</source>
        <translation>放在捐赠参数原处的结果</translation>
    </message>
    <message>
        <source>reused by donation</source>
        <translation>因捐赠而重用</translation>
    </message>
    <message>
        <source>rewritten away</source>
        <translation>已改写掉</translation>
    </message>
    <message>
        <source>rewritten away{who}</source>
        <translation>被改写掉 {who}</translation>
    </message>
    <message>
        <source>roofline</source>
        <translation>roofline</translation>
    </message>
    <message>
        <source>round {number:,} of {count:,} (from 0)</source>
        <translation>第 {number:,} 轮，共 {count:,} 轮（从 0 数起）</translation>
    </message>
    <message>
        <source>round {number:,} of {length:,} of {where}</source>
        <translation>{where} 的第 {number:,} 轮（共 {length:,} 轮）</translation>
    </message>
    <message>
        <source>round {number:,} of {where}</source>
        <translation>{where} 的第 {number:,} 轮</translation>
    </message>
    <message>
        <source>rounds</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>rsqrt(0) is inf.</source>
        <translation>rsqrt(0) 是 inf。</translation>
    </message>
    <message>
        <source>running</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>running the Python code once to record it</source>
        <translation>运行一次 Python 代码以记录它</translation>
    </message>
    <message>
        <source>running the Python code once to record the program</source>
        <translation>运行一次 Python 代码以记录程序</translation>
    </message>
    <message>
        <source>running the file</source>
        <translation>运行文件</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>runs in {library}, as {place}</source>
        <translation>在 {library} 中运行，即 {place}</translation>
    </message>
    <message>
        <source>runs on while any is true</source>
        <translation>任一为真时继续运行</translation>
    </message>
    <message>
        <source>runs on while true</source>
        <translation>为真时继续</translation>
    </message>
    <message>
        <source>same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>same as selected</source>
        <translation>与所选相同</translation>
    </message>
    <message>
        <source>same interpreter</source>
        <translation>相同的解释器</translation>
    </message>
    <message>
        <source>same options</source>
        <translation>相同的选项</translation>
    </message>
    <message>
        <source>saves</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>says how {place} combines two elements</source>
        <translation>说明 {place} 怎样合并两个元素</translation>
    </message>
    <message>
        <source>scope</source>
        <translation>作用域</translation>
    </message>
    <message>
        <source>scratch memory</source>
        <translation>暂存内存</translation>
    </message>
    <message>
        <source>search</source>
        <translation>搜索 search</translation>
    </message>
    <message>
        <source>second</source>
        <translation>第二个</translation>
    </message>
    <message>
        <source>second derivative</source>
        <translation>二阶导数</translation>
    </message>
    <message>
        <source>second: {second}</source>
        <translation>第二个：{second}</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>所选</translation>
    </message>
    <message>
        <source>selected, or linked to it</source>
        <translation>所选的，或与其相关联</translation>
    </message>
    <message>
        <source>senders send at least {sent} on average</source>
        <translation>发送方平均至少发送 {sent}</translation>
    </message>
    <message>
        <source>sends</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>settings font size</source>
        <translation>设置 字体 字号 settings font size</translation>
    </message>
    <message>
        <source>settings font size bigger</source>
        <translation>设置 字体 字号 放大 settings font size bigger</translation>
    </message>
    <message>
        <source>settings preferences security</source>
        <translation>设置 偏好 安全 settings preferences security</translation>
    </message>
    <message>
        <source>settings preferences theme mode night appearance colour scheme</source>
        <translation>设置 偏好 主题 模式 夜间 外观 配色 settings preferences theme dark</translation>
    </message>
    <message>
        <source>several fates</source>
        <translation>多种去向</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>shapes</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>share</source>
        <translation>份额</translation>
    </message>
    <message>
        <source>share of FLOP by line</source>
        <translation>各行 FLOP 占比</translation>
    </message>
    <message>
        <source>share of FLOP by line, if its branch runs</source>
        <translation>各行 FLOP 占比（所在分支运行时）</translation>
    </message>
    <message>
        <source>share of bytes by line</source>
        <translation>各行字节占比</translation>
    </message>
    <message>
        <source>share of bytes by line, if its branch runs</source>
        <translation>各行字节占比（所在分支运行时）</translation>
    </message>
    <message>
        <source>share of calls, %</source>
        <translation>调用所占比例，%</translation>
    </message>
    <message>
        <source>shifting by 0</source>
        <translation>移动 0 位</translation>
    </message>
    <message>
        <source>signed integers; y is less than the number of bits</source>
        <translation>有符号整数；y 小于位数</translation>
    </message>
    <message>
        <source>simplified</source>
        <translation>化简</translation>
    </message>
    <message>
        <source>simplified until only {names} is left of it, which computes nothing</source>
        <translation>化简到只剩下 {names}，它什么也不计算</translation>
    </message>
    <message>
        <source>single calls</source>
        <translation>单次调用</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>size of results</source>
        <translation>结果大小</translation>
    </message>
    <message>
        <source>skipping …</source>
        <translation>正在跳过 …</translation>
    </message>
    <message>
        <source>slides talk full screen</source>
        <translation>幻灯片 演讲 演示 全屏 slides talk full screen</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>更慢</translation>
    </message>
    <message>
        <source>so is something inside</source>
        <translation>其中某一部分未知</translation>
    </message>
    <message>
        <source>some calls</source>
        <translation>某些调用</translation>
    </message>
    <message>
        <source>source</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>source lines</source>
        <translation>源代码行</translation>
    </message>
    <message>
        <source>spec</source>
        <translation>spec</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>过时</translation>
    </message>
    <message>
        <source>stated here</source>
        <translation>在这里声明</translation>
    </message>
    <message>
        <source>static</source>
        <translation>静态</translation>
    </message>
    <message>
        <source>steady</source>
        <translation>稳定</translation>
    </message>
    <message>
        <source>steady calls</source>
        <translation>稳定的调用</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step of the schedule, counted from 0</source>
        <translation>调度的步骤，从 0 开始</translation>
    </message>
    <message>
        <source>step {number:,} of {count:,}</source>
        <translation>第 {number:,} 步，共 {count:,} 步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>subtracting 0</source>
        <translation>减 0</translation>
    </message>
    <message>
        <source>such as XLA_FLAGS=--xla_cpu_multi_thread_eigen=false</source>
        <translation>例如 XLA_FLAGS=--xla_cpu_multi_thread_eigen=false</translation>
    </message>
    <message>
        <source>such as xla_cpu_enable_fast_math=true, another=1</source>
        <translation>例如 xla_cpu_enable_fast_math=true, another=1</translation>
    </message>
    <message>
        <source>switch, {num} branches</source>
        <translation>switch，{num} 个分支</translation>
    </message>
    <message>
        <source>switched off</source>
        <translation>已去掉</translation>
    </message>
    <message>
        <source>taken into the product {place}, which gives its result in that order</source>
        <translation>并入乘积 {place}，后者按那个次序给出结果</translation>
    </message>
    <message>
        <source>taken into {user} by {by}, which now works from {what}</source>
        <translation>被 {by} 并入 {user}，后者现在由 {what} 计算</translation>
    </message>
    <message>
        <source>taken into {what} by {by}</source>
        <translation>被 {by} 并入 {what}</translation>
    </message>
    <message>
        <source>takes</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>takes </source>
        <translation>接受 </translation>
    </message>
    <message>
        <source>takes, median</source>
        <translation>用时中位数</translation>
    </message>
    <message>
        <source>target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>target {target}</source>
        <translation>目标 {target}</translation>
    </message>
    <message>
        <source>temporaries</source>
        <translation>临时值</translation>
    </message>
    <message>
        <source>temporary</source>
        <translation>临时量</translation>
    </message>
    <message>
        <source>the algorithm of the product converts what it multiplies</source>
        <translation>乘积所用的算法会转换操作数的类型</translation>
    </message>
    <message>
        <source>the argument {name}</source>
        <translation>参数 {name}</translation>
    </message>
    <message>
        <source>the block lies inside x</source>
        <translation>块在 x 之内</translation>
    </message>
    <message>
        <source>the branch was removed</source>
        <translation>分支被去掉了</translation>
    </message>
    <message>
        <source>the call</source>
        <translation>这个调用</translation>
    </message>
    <message>
        <source>the call after it</source>
        <translation>其后的一次调用</translation>
    </message>
    <message>
        <source>the call changes its argument `{path}`</source>
        <translation>调用改变了它的参数 `{path}`</translation>
    </message>
    <message>
        <source>the call was inlined</source>
        <translation>调用被内联了</translation>
    </message>
    <message>
        <source>the chosen step</source>
        <translation>所选步骤</translation>
    </message>
    <message>
        <source>the complex sign is lowered to a quotient</source>
        <translation>复数的符号会 lower 成商</translation>
    </message>
    <message>
        <source>the custom call {target}</source>
        <translation>自定义调用 {target}</translation>
    </message>
    <message>
        <source>the eager and the compiled call returned different results: {difference}</source>
        <translation>急切调用和编译后的调用返回了不同的结果：{difference}</translation>
    </message>
    <message>
        <source>the eager call returned a leaked tracer ({kind}), no array</source>
        <translation>急切调用返回了泄漏的 tracer（{kind}），不是数组</translation>
    </message>
    <message>
        <source>the entry</source>
        <translation>入口计算</translation>
    </message>
    <message>
        <source>the equations then</source>
        <translation>此时的方程</translation>
    </message>
    <message>
        <source>the fates are being worked out …</source>
        <translation>正在确定去向 …</translation>
    </message>
    <message>
        <source>the first</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>the first call of the compiled function</source>
        <translation>编译后函数的第一次调用</translation>
    </message>
    <message>
        <source>the first call without jit: compiles every operation</source>
        <translation>不用 jit 的第一次调用：编译每个运算</translation>
    </message>
    <message>
        <source>the first eager call changed {path}</source>
        <translation>第一次急切调用改变了 {path}</translation>
    </message>
    <message>
        <source>the first power</source>
        <translation>一次幂</translation>
    </message>
    <message>
        <source>the first result, the singular values</source>
        <translation>第一个结果，即奇异值</translation>
    </message>
    <message>
        <source>the first steps are smaller than the result</source>
        <translation>最初的步骤比结果小</translation>
    </message>
    <message>
        <source>the function changes `{path}`</source>
        <translation>函数改变了 `{path}`</translation>
    </message>
    <message>
        <source>the function changes the global `{name}`</source>
        <translation>函数改变了全局变量 `{name}`</translation>
    </message>
    <message>
        <source>the function draws random numbers from {path}</source>
        <translation>函数从 {path} 抽取随机数</translation>
    </message>
    <message>
        <source>the gradient as the file has it</source>
        <translation>文件中所写的梯度</translation>
    </message>
    <message>
        <source>the gradient of {function} with respect to every float argument, with {function} inside jax.checkpoint</source>
        <translation>{function} 对每个浮点参数的梯度，其中 {function} 在 jax.checkpoint 之内</translation>
    </message>
    <message>
        <source>the gradient, compiled</source>
        <translation>梯度，编译后</translation>
    </message>
    <message>
        <source>the gradient, each operation run on its own</source>
        <translation>梯度，每个运算单独运行</translation>
    </message>
    <message>
        <source>the largest</source>
        <translation>最大的</translation>
    </message>
    <message>
        <source>the loop was removed</source>
        <translation>循环被去掉了</translation>
    </message>
    <message>
        <source>the module after the pass</source>
        <translation>pass 之后的模块</translation>
    </message>
    <message>
        <source>the module before the pass</source>
        <translation>pass 之前的模块</translation>
    </message>
    <message>
        <source>the only element differs</source>
        <translation>唯一的元素不同</translation>
    </message>
    <message>
        <source>the only size</source>
        <translation>唯一的大小</translation>
    </message>
    <message>
        <source>the only {noun}</source>
        <translation>唯一的{noun}</translation>
    </message>
    <message>
        <source>the pairs differ widely</source>
        <translation>各对相差很大</translation>
    </message>
    <message>
        <source>the part of a compiled call from its return to its result</source>
        <translation>编译后的调用从返回到得出结果的部分</translation>
    </message>
    <message>
        <source>the part of a compiled call until it returns</source>
        <translation>编译后的调用直到返回的部分</translation>
    </message>
    <message>
        <source>the part of an eager call from its return to its result</source>
        <translation>急切调用从返回到得出结果的部分</translation>
    </message>
    <message>
        <source>the part of an eager call until it returns</source>
        <translation>急切调用直到返回的部分</translation>
    </message>
    <message>
        <source>the peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>the peaks</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>the peaks were measured too low (measure again when the machine is idle), or data stays in caches.</source>
        <translation>峰值测得偏低（请在机器空闲时重新测量），或者数据留在缓存里。</translation>
    </message>
    <message>
        <source>the platform</source>
        <translation>平台</translation>
    </message>
    <message>
        <source>the program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>the program computes nothing, so there is nothing to compare</source>
        <translation>程序什么也不计算，所以没有可以比较的内容</translation>
    </message>
    <message>
        <source>the program has a copy of it, and a later change of it changes nothing</source>
        <translation>程序有它的一份副本，以后改变它不会改变任何结果</translation>
    </message>
    <message>
        <source>the program is one jitted function, so its eager run is compiled, too</source>
        <translation>程序就是一个 jit 函数，所以它的急切执行也是编译的</translation>
    </message>
    <message>
        <source>the result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>the results of the {noun} have {odd}</source>
        <translation>{noun} 的结果中有 {odd}</translation>
    </message>
    <message>
        <source>the same call</source>
        <translation>同一个调用</translation>
    </message>
    <message>
        <source>the same file</source>
        <translation>同一个文件</translation>
    </message>
    <message>
        <source>the same for all</source>
        <translation>对所有元素相同</translation>
    </message>
    <message>
        <source>the same interpreter</source>
        <translation>同一个解释器</translation>
    </message>
    <message>
        <source>the same once freed memory is kept: no page faults</source>
        <translation>释放的内存保留之后同上：没有缺页</translation>
    </message>
    <message>
        <source>the same precision</source>
        <translation>相同的精度</translation>
    </message>
    <message>
        <source>the same remat</source>
        <translation>相同的 remat</translation>
    </message>
    <message>
        <source>the same target</source>
        <translation>相同的目标</translation>
    </message>
    <message>
        <source>the same types</source>
        <translation>相同的类型</translation>
    </message>
    <message>
        <source>the search ends after {done}</source>
        <translation>查找在 {done} 之后结束</translation>
    </message>
    <message>
        <source>the search was stopped after {done}, in {seconds:.0f} s</source>
        <translation>查找在 {done} 之后停止，用时 {seconds:.0f} 秒</translation>
    </message>
    <message>
        <source>the target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>the whole program then</source>
        <translation>此时的整个程序</translation>
    </message>
    <message>
        <source>the {name}</source>
        <translation>{name}</translation>
    </message>
    <message>
        <source>the {side} side</source>
        <translation>{side}程序</translation>
    </message>
    <message>
        <source>things</source>
        <translation>项</translation>
    </message>
    <message>
        <source>third derivative</source>
        <translation>三阶导数</translation>
    </message>
    <message>
        <source>this line</source>
        <translation>这一行</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>这台机器</translation>
    </message>
    <message>
        <source>thread-local</source>
        <translation>线程局部</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>time of one call</source>
        <translation>一次调用的时间</translation>
    </message>
    <message>
        <source>time to make</source>
        <translation>生成时间</translation>
    </message>
    <message>
        <source>times</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>to</source>
        <translation>去往</translation>
    </message>
    <message>
        <source>took</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>touched what is selected</source>
        <translation>触及所选内容</translation>
    </message>
    <message>
        <source>trace</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>tracing</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>transcendental</source>
        <translation>超越函数</translation>
    </message>
    <message>
        <source>transcendentals</source>
        <translation>超越函数</translation>
    </message>
    <message>
        <source>transcendentals after</source>
        <translation>优化后超越函数</translation>
    </message>
    <message>
        <source>transcendentals before</source>
        <translation>优化前超越函数</translation>
    </message>
    <message>
        <source>transform</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>transforms applied in each call</source>
        <translation>每次调用都应用变换</translation>
    </message>
    <message>
        <source>turned into a constant by {by}</source>
        <translation>被 {by} 变成常量</translation>
    </message>
    <message>
        <source>turned into a constant by {by}, with what it was used for</source>
        <translation>被 {by} 变成常量，连同它所用于的计算</translation>
    </message>
    <message>
        <source>turned into {what} by {by}</source>
        <translation>被 {by} 变成 {what}</translation>
    </message>
    <message>
        <source>turned into {what} by {by}, which computes and moves nothing</source>
        <translation>被 {by} 变成 {what}，它不计算也不移动任何东西</translation>
    </message>
    <message>
        <source>turned into {what} by {by}, which only moves bytes</source>
        <translation>被 {by} 变成 {what}，它只移动字节</translation>
    </message>
    <message>
        <source>turning it into StableHLO</source>
        <translation>把它转成 StableHLO</translation>
    </message>
    <message>
        <source>turning the recorded program into StableHLO</source>
        <translation>把记录的程序转成 StableHLO</translation>
    </message>
    <message>
        <source>tutorial</source>
        <translation>教程 tutorial</translation>
    </message>
    <message>
        <source>tutorial introduction</source>
        <translation>教程 入门 tutorial introduction</translation>
    </message>
    <message>
        <source>twice in this line</source>
        <translation>在这一行中两次</translation>
    </message>
    <message>
        <source>twice the size of the window's</source>
        <translation>窗口大小的两倍</translation>
    </message>
    <message>
        <source>two cases: the first is taken where the condition is false</source>
        <translation>两种情况：条件为假时取第一个</translation>
    </message>
    <message>
        <source>two dimensions, no padding, strides or dilation</source>
        <translation>两个维度，没有填充、步长和空洞</translation>
    </message>
    <message>
        <source>two eager calls with the same arguments returned different results: {difference}</source>
        <translation>参数相同的两次急切调用返回了不同的结果：{difference}</translation>
    </message>
    <message>
        <source>two operands; there may be more</source>
        <translation>两个操作数；还可以更多</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>types</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>types of the same width</source>
        <translation>宽度相同的类型</translation>
    </message>
    <message>
        <source>types: on each of {num} devices</source>
        <translation>类型：{num} 个设备中每一个上的</translation>
    </message>
    <message>
        <source>types: per device</source>
        <translation>类型：每个设备</translation>
    </message>
    <message>
        <source>unclear</source>
        <translation>不明确</translation>
    </message>
    <message>
        <source>under</source>
        <translation>解释器</translation>
    </message>
    <message>
        <source>under 1 s</source>
        <translation>不到 1 秒</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>unknown work</source>
        <translation>未知的工作量</translation>
    </message>
    <message>
        <source>unknown: {reason}</source>
        <translation>未知：{reason}</translation>
    </message>
    <message>
        <source>unrolled by {by}; which of the new instructions are its own is not told</source>
        <translation>被 {by} 展开；无法得知新的指令中哪些属于它</translation>
    </message>
    <message>
        <source>unrolled: the layer written out so many times in one jitted function. scan: one jax.lax.scan over it.</source>
        <translation>unrolled：在一个 jit 函数中把这一层写出这么多次。scan：对它的一个 jax.lax.scan。</translation>
    </message>
    <message>
        <source>until its result was ready</source>
        <translation>直到结果就绪</translation>
    </message>
    <message>
        <source>until steady</source>
        <translation>直到稳定</translation>
    </message>
    <message>
        <source>until the call returned</source>
        <translation>直到调用返回</translation>
    </message>
    <message>
        <source>up to {apart} apart where the largest is {scale}</source>
        <translation>最多相差 {apart}，而最大的是 {scale}</translation>
    </message>
    <message>
        <source>up to {most}</source>
        <translation>最多 {most}</translation>
    </message>
    <message>
        <source>used in</source>
        <translation>使用于</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>value and gradient, compiled: they share the forward part</source>
        <translation>值和梯度，编译后：它们共用前向部分</translation>
    </message>
    <message>
        <source>value and gradient, each operation run on its own</source>
        <translation>值和梯度，每个运算单独运行</translation>
    </message>
    <message>
        <source>value in or out</source>
        <translation>进出的值</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>variable of an enclosing function `{name}` {change}</source>
        <translation>外层函数的变量 `{name}` {change}</translation>
    </message>
    <message>
        <source>version license</source>
        <translation>版本 许可 version license</translation>
    </message>
    <message>
        <source>view</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>view page</source>
        <translation>视图 页面 view page</translation>
    </message>
    <message>
        <source>vmap</source>
        <translation>vmap</translation>
    </message>
    <message>
        <source>vmap made one program of many: which of them is shown</source>
        <translation>vmap 把许多个合成一个程序：显示其中的哪一个</translation>
    </message>
    <message>
        <source>vmap needs at least one argument to run over.</source>
        <translation>vmap 至少需要一个可以沿其运行的参数。</translation>
    </message>
    <message>
        <source>vmap needs every argument written out, without *.</source>
        <translation>vmap 需要写出每个参数，不能用 *。</translation>
    </message>
    <message>
        <source>vmap turns this cond into a select: every branch is computed for every element of the batch, about {told} operations, of which at least {waste:,.0f} are thrown away.</source>
        <translation>vmap 把这个 cond 变成了 select：对批次的每个元素都计算每个分支，大约 {told} 次运算，其中至少 {waste:,.0f} 次是白费的。</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waiting for machine code</source>
        <translation>等待机器码</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>was assigned</source>
        <translation>被赋了值</translation>
    </message>
    <message>
        <source>was assigned anew</source>
        <translation>被重新赋了值</translation>
    </message>
    <message>
        <source>was changed</source>
        <translation>被改变了</translation>
    </message>
    <message>
        <source>was changed (it now holds a tracer, which nothing may use later)</source>
        <translation>被改变了（它现在含有一个追踪器，以后任何人都不能使用）</translation>
    </message>
    <message>
        <source>was stopped</source>
        <translation>被停止</translation>
    </message>
    <message>
        <source>ways</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>weak type or not</source>
        <translation>是否弱类型</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>what Python did</source>
        <translation>Python 做了什么</translation>
    </message>
    <message>
        <source>what XLA allocates for each run besides arguments and results</source>
        <translation>除参数和结果之外，XLA 每次运行分配的内存</translation>
    </message>
    <message>
        <source>what became of it</source>
        <translation>变成了什么</translation>
    </message>
    <message>
        <source>what changed</source>
        <translation>改变了什么</translation>
    </message>
    <message>
        <source>what comes out</source>
        <translation>输出的内容</translation>
    </message>
    <message>
        <source>what comes out, on one device</source>
        <translation>一个设备上输出的内容</translation>
    </message>
    <message>
        <source>what comes out, without the addresses of the arrays in a tuple</source>
        <translation>输出的内容，不含元组中各数组的地址</translation>
    </message>
    <message>
        <source>what differs</source>
        <translation>差别</translation>
    </message>
    <message>
        <source>what goes in</source>
        <translation>输入的内容</translation>
    </message>
    <message>
        <source>what goes in, on one device</source>
        <translation>一个设备上输入的内容</translation>
    </message>
    <message>
        <source>what is computed from the operands is reduced or scattered while it is read</source>
        <translation>由操作数算出的内容在读取时就被归约或散布</translation>
    </message>
    <message>
        <source>what it is</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>what reads it writes into this memory, and that of {name} must stay as it is, as it is not donated</source>
        <translation>读取它的操作会写入这块内存，而 {name} 没有被捐赠，其内存必须保持不变</translation>
    </message>
    <message>
        <source>what senders send is not known</source>
        <translation>发送方发送多少未知</translation>
    </message>
    <message>
        <source>what the calls took until they were steady</source>
        <translation>达到稳定之前各次调用的用时</translation>
    </message>
    <message>
        <source>what took most time</source>
        <translation>用时最多的</translation>
    </message>
    <message>
        <source>what {equations} gives</source>
        <translation>{equations} 的结果</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>where the error is</source>
        <translation>错误在这里</translation>
    </message>
    <message>
        <source>which does not pay</source>
        <translation>不合算</translation>
    </message>
    <message>
        <source>which pays</source>
        <translation>合算</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>整体</translation>
    </message>
    <message>
        <source>whole on device {device} alone</source>
        <translation>整个只在设备 {device} 上</translation>
    </message>
    <message>
        <source>whole on each</source>
        <translation>每个设备上都是整个</translation>
    </message>
    <message>
        <source>why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>why again</source>
        <translation>为何再次</translation>
    </message>
    <message>
        <source>why not</source>
        <translation>为什么不</translation>
    </message>
    <message>
        <source>with a remark</source>
        <translation>有备注</translation>
    </message>
    <message>
        <source>with calls</source>
        <translation>含调用</translation>
    </message>
    <message>
        <source>with inside</source>
        <translation>含内部</translation>
    </message>
    <message>
        <source>with options of XLA</source>
        <translation>XLA 选项</translation>
    </message>
    <message>
        <source>with others inside</source>
        <translation>内含其他</translation>
    </message>
    <message>
        <source>without its jit</source>
        <translation>不含它的 jit</translation>
    </message>
    <message>
        <source>words terms definitions</source>
        <translation>词汇 术语 定义 words terms definitions</translation>
    </message>
    <message>
        <source>work</source>
        <translation>工作量</translation>
    </message>
    <message>
        <source>working</source>
        <translation>正在工作</translation>
    </message>
    <message>
        <source>working …</source>
        <translation>正在生成 …</translation>
    </message>
    <message>
        <source>worst at</source>
        <translation>最差处</translation>
    </message>
    <message>
        <source>worst in ULP</source>
        <translation>最差 ULP</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>写出</translation>
    </message>
    <message>
        <source>x + 0.5 is not rounded</source>
        <translation>x + 0.5 没有舍入</translation>
    </message>
    <message>
        <source>x is not negative</source>
        <translation>x 不为负</translation>
    </message>
    <message>
        <source>x[{subscript}], or jax.lax.slice_in_dim: a slice is free to fuse.</source>
        <translation>x[{subscript}]，或者 jax.lax.slice_in_dim：slice 可以随意融合。</translation>
    </message>
    <message>
        <source>xs[i]</source>
        <translation>xs[i]</translation>
    </message>
    <message>
        <source>y is less than the number of bits</source>
        <translation>y 小于位数</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>ys[i]</source>
        <translation>ys[i]</translation>
    </message>
    <message>
        <source>{above:,} measured faster than these ceilings allow: another device ran them, or their data stays in caches.</source>
        <translation>{above:,} 个实测快于这些上限：它们在别的设备上运行，或者数据留在缓存里。</translation>
    </message>
    <message>
        <source>{above:,} measured faster than these ceilings allow: {why} “At best” is there what was measured.</source>
        <translation>{above:,} 个实测快于这些上限：{why}这些行的“最好情况”是实测值。</translation>
    </message>
    <message>
        <source>{around} around this equation, and {num} rounds were given.</source>
        <translation>这个方程的外围{around}，却给出了 {num} 个轮次。</translation>
    </message>
    <message>
        <source>{arrays}, {needed:,} needed</source>
        <translation>{arrays}，需要其中 {needed:,} 个</translation>
    </message>
    <message>
        <source>{arrays}, {values:,} values</source>
        <translation>{arrays}，{values:,} 个值</translation>
    </message>
    <message>
        <source>{at} of {num_hits:,}</source>
        <translation>{at} / {num_hits:,}</translation>
    </message>
    <message>
        <source>{base_text} cannot be traced on its own: the whole call stands in its place.</source>
        <translation>{base_text} 无法单独追踪：由整个调用代替它。</translation>
    </message>
    <message>
        <source>{basename} cannot be opened together with others.</source>
        <translation>{basename} 不能与其他文件一起打开。</translation>
    </message>
    <message>
        <source>{basename} defines no function.</source>
        <translation>{basename} 没有定义函数。</translation>
    </message>
    <message>
        <source>{basename} imports too much from beside it to be sent to another machine.</source>
        <translation>{basename} 从旁边导入的内容太多，无法发送到另一台机器。</translation>
    </message>
    <message>
        <source>{batch} calls, one after another without waiting for results, then one wait; divided by {batch}. Latency is what waits after each call.</source>
        <translation>连续 {batch} 次调用而不等待结果，最后等待一次；再除以 {batch}。延迟则是每次调用之后都等待的时间。</translation>
    </message>
    <message>
        <source>{before} is faster up to {low:,}, {after} from {high:,} on; the curves cross near {size:,.0f}.</source>
        <translation>到 {low:,} 为止 {before} 更快，从 {high:,} 起 {after} 更快；曲线在 {size:,.0f} 附近交叉。</translation>
    </message>
    <message>
        <source>{before} → {after}</source>
        <translation>{before} → {after}</translation>
    </message>
    <message>
        <source>{bytes_accessed} read and written</source>
        <translation>读写 {bytes_accessed}</translation>
    </message>
    <message>
        <source>{calls:,.0f} calls</source>
        <translation>{calls:,.0f} 次调用</translation>
    </message>
    <message>
        <source>{calls}, whose equations count where the function is called first</source>
        <translation>{calls}，其方程计入该函数首次调用之处</translation>
    </message>
    <message>
        <source>{call} makes a new function but does not call it.</source>
        <translation>{call} 生成了一个新的函数，但没有调用它。</translation>
    </message>
    <message>
        <source>{call} on other chips</source>
        <translation>{call} 在其他芯片上</translation>
    </message>
    <message>
        <source>{call}, with {function} inside jax.checkpoint</source>
        <translation>{call}，其中 {function} 在 jax.checkpoint 之内</translation>
    </message>
    <message>
        <source>{call}. {place}</source>
        <translation>{call}。{place}</translation>
    </message>
    <message>
        <source>{call}: a recorded run takes {wall}; {share} of it is in what is listed, {gaps} are dispatch and gaps</source>
        <translation>{call}：一次记录的运行用时 {wall}；其中 {share} 在所列内容中，{gaps} 是派发和间隙</translation>
    </message>
    <message>
        <source>{call}: in the job a run took {work} of work, the mean of {num_runs}</source>
        <translation>{call}：在作业中一次运行的工作用时 {work}，取 {num_runs}的平均</translation>
    </message>
    <message>
        <source>{collectives}; {sent}</source>
        <translation>{collectives}；{sent}</translation>
    </message>
    <message>
        <source>{copies} copies</source>
        <translation>{copies} 份副本</translation>
    </message>
    <message>
        <source>{copies} devices share a part</source>
        <translation>{copies} 个设备共有一份</translation>
    </message>
    <message>
        <source>{count:,} ULP</source>
        <translation>{count:,} ULP</translation>
    </message>
    <message>
        <source>{count:,} argument</source>
        <translation>{count:,} 个参数</translation>
    </message>
    <message>
        <source>{count:,} array</source>
        <translation>{count:,} 个数组</translation>
    </message>
    <message>
        <source>{count:,} buffer</source>
        <translation>{count:,} 个缓冲区</translation>
    </message>
    <message>
        <source>{count:,} call</source>
        <translation>{count:,} 次调用</translation>
    </message>
    <message>
        <source>{count:,} collective</source>
        <translation>{count:,} 次集合通信</translation>
    </message>
    <message>
        <source>{count:,} constant</source>
        <translation>{count:,} 个常量</translation>
    </message>
    <message>
        <source>{count:,} device</source>
        <translation>{count:,} 个设备</translation>
    </message>
    <message>
        <source>{count:,} element</source>
        <translation>{count:,} 个元素</translation>
    </message>
    <message>
        <source>{count:,} equation</source>
        <translation>{count:,} 个方程</translation>
    </message>
    <message>
        <source>{count:,} estimate</source>
        <translation>{count:,} 次估计</translation>
    </message>
    <message>
        <source>{count:,} function</source>
        <translation>{count:,} 个函数</translation>
    </message>
    <message>
        <source>{count:,} further dump</source>
        <translation>{count:,} 个转储</translation>
    </message>
    <message>
        <source>{count:,} fusion</source>
        <translation>{count:,} 个融合</translation>
    </message>
    <message>
        <source>{count:,} group</source>
        <translation>{count:,} 个组</translation>
    </message>
    <message>
        <source>{count:,} instruction</source>
        <translation>{count:,} 条指令</translation>
    </message>
    <message>
        <source>{count:,} intermediate result</source>
        <translation>{count:,} 个中间结果</translation>
    </message>
    <message>
        <source>{count:,} kernel</source>
        <translation>{count:,} 个内核</translation>
    </message>
    <message>
        <source>{count:,} kernels have</source>
        <translation>有 {count:,} 个内核</translation>
    </message>
    <message>
        <source>{count:,} layout</source>
        <translation>{count:,} 个布局</translation>
    </message>
    <message>
        <source>{count:,} line</source>
        <translation>{count:,} 行</translation>
    </message>
    <message>
        <source>{count:,} look</source>
        <translation>{count:,} 次查看</translation>
    </message>
    <message>
        <source>{count:,} loop</source>
        <translation>{count:,} 个循环</translation>
    </message>
    <message>
        <source>{count:,} loops count once: how often they run is not known, and they may never run.</source>
        <translation>{count:,} 个循环只算一次：不知道它们运行多少次，也可能从不运行。</translation>
    </message>
    <message>
        <source>{count:,} of its {all:,} operations are of no dialect that JAX uses, and are drawn by their names alone: {dialects}.</source>
        <translation>其 {all:,} 个运算中有 {count:,} 个属于 JAX 不使用的方言，只按名称绘制：{dialects}。</translation>
    </message>
    <message>
        <source>{count:,} of {total} changed, added or removed</source>
        <translation>{total}中有 {count:,} 个改变、增加或移除</translation>
    </message>
    <message>
        <source>{count:,} of {total} {name}</source>
        <translation>{total}中有 {count:,} 个{name}</translation>
    </message>
    <message>
        <source>{count:,} operation</source>
        <translation>{count:,} 个运算</translation>
    </message>
    <message>
        <source>{count:,} other argument</source>
        <translation>{count:,} 个其他参数</translation>
    </message>
    <message>
        <source>{count:,} other constant</source>
        <translation>{count:,} 个其他常量</translation>
    </message>
    <message>
        <source>{count:,} other equation</source>
        <translation>{count:,} 个其他方程</translation>
    </message>
    <message>
        <source>{count:,} other instruction</source>
        <translation>{count:,} 条其他指令</translation>
    </message>
    <message>
        <source>{count:,} other kernel</source>
        <translation>{count:,} 个其他内核</translation>
    </message>
    <message>
        <source>{count:,} other operation</source>
        <translation>{count:,} 个其他运算</translation>
    </message>
    <message>
        <source>{count:,} other result</source>
        <translation>{count:,} 个其他结果</translation>
    </message>
    <message>
        <source>{count:,} passes</source>
        <translation>{count:,} 个 pass</translation>
    </message>
    <message>
        <source>{count:,} producer</source>
        <translation>{count:,} 个生产者</translation>
    </message>
    <message>
        <source>{count:,} program</source>
        <translation>{count:,} 个程序</translation>
    </message>
    <message>
        <source>{count:,} reading</source>
        <translation>{count:,} 个读数</translation>
    </message>
    <message>
        <source>{count:,} recompilation</source>
        <translation>{count:,} 次重新编译</translation>
    </message>
    <message>
        <source>{count:,} refusal</source>
        <translation>{count:,} 次拒绝</translation>
    </message>
    <message>
        <source>{count:,} result</source>
        <translation>{count:,} 个结果</translation>
    </message>
    <message>
        <source>{count:,} round</source>
        <translation>{count:,} 轮</translation>
    </message>
    <message>
        <source>{count:,} row</source>
        <translation>{count:,} 行</translation>
    </message>
    <message>
        <source>{count:,} run</source>
        <translation>{count:,} 次运行</translation>
    </message>
    <message>
        <source>{count:,} scope</source>
        <translation>{count:,} 个作用域</translation>
    </message>
    <message>
        <source>{count:,} shared call</source>
        <translation>{count:,} 次共享调用</translation>
    </message>
    <message>
        <source>{count:,} signature</source>
        <translation>{count:,} 个签名</translation>
    </message>
    <message>
        <source>{count:,} step</source>
        <translation>{count:,} 步</translation>
    </message>
    <message>
        <source>{count:,} time</source>
        <translation>{count:,} 次</translation>
    </message>
    <message>
        <source>{count:,} trial</source>
        <translation>{count:,} 次尝试</translation>
    </message>
    <message>
        <source>{count:,} value</source>
        <translation>{count:,} 个值</translation>
    </message>
    <message>
        <source>{count:,} warning</source>
        <translation>{count:,} 个警告</translation>
    </message>
    <message>
        <source>{count_program:,} backward</source>
        <translation>反向 {count_program:,}</translation>
    </message>
    <message>
        <source>{counts:,} leaves</source>
        <translation>{counts:,} 个叶子</translation>
    </message>
    <message>
        <source>{counts} line of this Python</source>
        <translation>这段 Python 的 {counts} 行</translation>
    </message>
    <message>
        <source>{counts} lines of this Python</source>
        <translation>这段 Python 的 {counts} 行</translation>
    </message>
    <message>
        <source>{count} kinds of operation</source>
        <translation>{count} 种运算</translation>
    </message>
    <message>
        <source>{count} lit</source>
        <translation>亮起 {count}</translation>
    </message>
    <message>
        <source>{count} older than its HLO before optimization, which is written first ({such}): an earlier process may have written to the same folder. Give each run a folder of its own.</source>
        <translation>{count}比它优化前的 HLO 更旧，而后者是最先写出的（{such}）：可能有先前的进程写入了同一个文件夹。请为每次运行使用单独的文件夹。</translation>
    </message>
    <message>
        <source>{count} programs</source>
        <translation>{count} 个程序</translation>
    </message>
    <message>
        <source>{count} recorded; the program has others made of that.</source>
        <translation>记录了 {count}；程序中是由它们生成的其他运算。</translation>
    </message>
    <message>
        <source>{count}, 1 in another box</source>
        <translation>{count}，其中 1 个在别的方框里</translation>
    </message>
    <message>
        <source>{count}, the most memory traffic first</source>
        <translation>{count}，内存流量最大的在前</translation>
    </message>
    <message>
        <source>{count}, {num:,} in other boxes</source>
        <translation>{count}，其中 {num:,} 个在别的方框里</translation>
    </message>
    <message>
        <source>{count}, {shared:,} shared</source>
        <translation>{count}，其中 {shared:,} 个共用</translation>
    </message>
    <message>
        <source>{currentText}: not available</source>
        <translation>{currentText}：没有</translation>
    </message>
    <message>
        <source>{cut} along {axes}</source>
        <translation>{cut}（沿 {axes}）</translation>
    </message>
    <message>
        <source>{device} ({low} to {high})</source>
        <translation>{device}（{low} 到 {high}）</translation>
    </message>
    <message>
        <source>{device} of {host}</source>
        <translation>{host} 的 {device}</translation>
    </message>
    <message>
        <source>{device}: {rates}; {bandwidth}/s. Not measured.</source>
        <translation>{device}：{rates}；{bandwidth}/s。没有测量。</translation>
    </message>
    <message>
        <source>{differing}, {num:,} NaN or infinite one way only</source>
        <translation>{differing}，{num:,} 个只在一种方式中是 NaN 或无穷大</translation>
    </message>
    <message>
        <source>{doing} · Esc stops</source>
        <translation>{doing} · 按 Esc 停止</translation>
    </message>
    <message>
        <source>{doing} …</source>
        <translation>{doing} …</translation>
    </message>
    <message>
        <source>{each} until its result was ready, in {turns}{left_out}, garbage collector off.</source>
        <translation>{each}，到结果就绪为止，按{turns}进行{left_out}，关闭垃圾回收。</translation>
    </message>
    <message>
        <source>{edited} Boxes and pages number lines as they ran.{lost}</source>
        <translation>{edited}方框和页面中的行号是运行时的。{lost}</translation>
    </message>
    <message>
        <source>{ends}, {confidence}</source>
        <translation>{ends}，{confidence}</translation>
    </message>
    <message>
        <source>{equations} of {stage}</source>
        <translation>{stage} 的 {equations}</translation>
    </message>
    <message>
        <source>{equation} {operation} failed: the page ends there.</source>
        <translation>{equation} {operation} 失败：页面到此为止。</translation>
    </message>
    <message>
        <source>{faster} is faster than {slower} at {num_clear} of {num_sizes} sizes; at the others the order is unclear.</source>
        <translation>{num_sizes} 个大小中的 {num_clear} 个下，{faster} 比 {slower} 快；其余大小的快慢次序不明确。</translation>
    </message>
    <message>
        <source>{faster} is faster than {slower} at {sizes}; no crossover.</source>
        <translation>在{sizes}下 {faster} 都比 {slower} 快；没有交叉。</translation>
    </message>
    <message>
        <source>{file} cannot be read.</source>
        <translation>{file} 无法读取。</translation>
    </message>
    <message>
        <source>{file} is a saved capture of another call.</source>
        <translation>{file} 是另一个调用的已保存的捕获。</translation>
    </message>
    <message>
        <source>{file} offers no call, and none could be found.</source>
        <translation>{file} 没有提供调用，也没有找到可用的调用。</translation>
    </message>
    <message>
        <source>{first}
{then}</source>
        <translation>{first}
{then}</translation>
    </message>
    <message>
        <source>{first} +{count}</source>
        <translation>{first} +{count}</translation>
    </message>
    <message>
        <source>{first} So it is with the other branch, equation {id}: mend both.</source>
        <translation>{first} 另一个分支（方程 {id}）也是如此：两个都要修正。</translation>
    </message>
    <message>
        <source>{first} against {second}</source>
        <translation>{first} 对 {second}</translation>
    </message>
    <message>
        <source>{first} against {second}: not compared. {reason}</source>
        <translation>{first} 与 {second}：没有比较。{reason}</translation>
    </message>
    <message>
        <source>{first} and {second}</source>
        <translation>{first} 和 {second}</translation>
    </message>
    <message>
        <source>{first} and {second} are equal bit by bit</source>
        <translation>{first} 和 {second} 逐位相等</translation>
    </message>
    <message>
        <source>{first} and {second} differ in {num_differing} of {arrays}, by {ulps} ULP at most{odd}</source>
        <translation>{first} 和 {second} 在 {arrays}中的 {num_differing} 个里不同，最多相差 {ulps} ULP{odd}</translation>
    </message>
    <message>
        <source>{first} and {second} do not clearly change places within these sizes.</source>
        <translation>{first} 和 {second} 在这些大小之内没有明确地交换快慢次序。</translation>
    </message>
    <message>
        <source>{first} and {then}</source>
        <translation>{first} 和 {then}</translation>
    </message>
    <message>
        <source>{first} ends in a {operation}: an element of it is there only after all that it sums up, so {second} starts after it.</source>
        <translation>{first} 以一个 {operation} 结尾：它的一个元素要等所求和的全部内容都有了才有，所以 {second} 在它之后开始。</translation>
    </message>
    <message>
        <source>{first} has {more} to serve ({others}): fused into {second}, {work} would be computed again or the result be written all the same.</source>
        <translation>{first} 要供给 {more}（{others}）：如果融合进 {second}，就要把 {work} 再算一遍，或者照样把结果写出。</translation>
    </message>
    <message>
        <source>{first} is {dialect} and {second} is {other}: they do not share a single operation.</source>
        <translation>{first} 是 {dialect}，{second} 是 {other}：它们没有一个共同的运算。</translation>
    </message>
    <message>
        <source>{first} or {then}</source>
        <translation>{first} 或 {then}</translation>
    </message>
    <message>
        <source>{first} {then}</source>
        <translation>{first} {then}</translation>
    </message>
    <message>
        <source>{first} · {then}</source>
        <translation>{first} · {then}</translation>
    </message>
    <message>
        <source>{first}, in the stage {stage}: equation {where}.</source>
        <translation>{first}，在阶段 {stage} 中：方程 {where}。</translation>
    </message>
    <message>
        <source>{first}, {then}</source>
        <translation>{first}，{then}</translation>
    </message>
    <message>
        <source>{first}; then {then}</source>
        <translation>{first}；然后 {then}</translation>
    </message>
    <message>
        <source>{first}; {then}</source>
        <translation>{first}；{then}</translation>
    </message>
    <message>
        <source>{first}{then}</source>
        <translation>{first}{then}</translation>
    </message>
    <message>
        <source>{form} could not be run.</source>
        <translation>无法运行 {form}。</translation>
    </message>
    <message>
        <source>{form}: it cannot be compared.</source>
        <translation>{form}：无法比较。</translation>
    </message>
    <message>
        <source>{functions:,.0f} of exp, sin …</source>
        <translation>{functions:,.0f} 次 exp、sin …</translation>
    </message>
    <message>
        <source>{function} takes the function and its arguments in one call, so no transform fits around it. Remove it first.</source>
        <translation>{function} 在同一个调用中接受函数及其参数，所以不能再套变换。请先移除它。</translation>
    </message>
    <message>
        <source>{gone}, for {reason}</source>
        <translation>{gone}，因为 {reason}</translation>
    </message>
    <message>
        <source>{gone}: no instruction is left that carries it</source>
        <translation>{gone}：没有剩下带着它的指令</translation>
    </message>
    <message>
        <source>{gone}: only {names} has its name</source>
        <translation>{gone}：只有 {names} 带有它的名称</translation>
    </message>
    <message>
        <source>{gone}: {result} is the result</source>
        <translation>{gone}：{result} 就是程序的结果</translation>
    </message>
    <message>
        <source>{gone}: {users} now works from {what}</source>
        <translation>{gone}：{users} 现在由 {what} 计算</translation>
    </message>
    <message>
        <source>{gradient} with respect to every float argument{summed}</source>
        <translation>对每个浮点参数的 {gradient}{summed}</translation>
    </message>
    <message>
        <source>{groups}, used in {count:,} places, counted once</source>
        <translation>{groups}，在 {count:,} 处被使用，只计一次</translation>
    </message>
    <message>
        <source>{guarding} is set aside: looking at a program takes transfers, too.</source>
        <translation>暂时不用 {guarding}：查看程序也需要传输。</translation>
    </message>
    <message>
        <source>{head} · no line of Python: {grown}</source>
        <translation>{head} · 没有 Python 的行：{grown}</translation>
    </message>
    <message>
        <source>{head} · {where}: {grown}</source>
        <translation>{head} · {where}：{grown}</translation>
    </message>
    <message>
        <source>{here}. What is inside is counted once.</source>
        <translation>{here}。其中的内容只计一次。</translation>
    </message>
    <message>
        <source>{holder} defines no functions.</source>
        <translation>{holder} 没有定义函数。</translation>
    </message>
    <message>
        <source>{holder} has no {name}, which the call names.</source>
        <translation>{holder} 没有调用中所写的 {name}。</translation>
    </message>
    <message>
        <source>{holder} has: {functions}.</source>
        <translation>{holder} 有：{functions}。</translation>
    </message>
    <message>
        <source>{host} accepted the connection and started nothing in time.</source>
        <translation>{host} 接受了连接，但没有及时启动任何东西。</translation>
    </message>
    <message>
        <source>{id} saves {saving}</source>
        <translation>{id} 节省 {saving}</translation>
    </message>
    <message>
        <source>{index} of {num_names}</source>
        <translation>{index} / {num_names}</translation>
    </message>
    <message>
        <source>{kept} of values are kept, at most about {most} besides those in view; what is dropped is computed again when it is asked for.</source>
        <translation>保留了 {kept} 的值，除正在查看的以外最多约 {most}；丢弃的值在需要时重新计算。</translation>
    </message>
    <message>
        <source>{kernels} no limit: they multiply in {types}, and what was measured is a product in f32.</source>
        <translation>{kernels}没有上限：它们以 {types} 相乘，而测量的是 f32 的乘积。</translation>
    </message>
    <message>
        <source>{kind} in {place}</source>
        <translation>{place} 中的 {kind}</translation>
    </message>
    <message>
        <source>{kind} is raised without a message.</source>
        <translation>抛出了没有说明的 {kind}。</translation>
    </message>
    <message>
        <source>{known:,} times</source>
        <translation>{known:,} 次</translation>
    </message>
    <message>
        <source>{label} at </source>
        <translation>{label}：</translation>
    </message>
    <message>
        <source>{label} is not in {stage} now.</source>
        <translation>{label} 现在不在 {stage} 中。</translation>
    </message>
    <message>
        <source>{left_out:,} with hardly any FLOPs are in the table only.</source>
        <translation>{left_out:,} 个几乎没有 FLOP，只在表格中。</translation>
    </message>
    <message>
        <source>{loop}, whose body runs {times:,} times</source>
        <translation>{loop}，循环体运行 {times:,} 次</translation>
    </message>
    <message>
        <source>{loop}, whose body runs {times:,} times and does {steps:,} of the {length} steps each time</source>
        <translation>{loop}，循环体运行 {times:,} 次，每次完成 {length} 步中的 {steps:,} 步</translation>
    </message>
    <message>
        <source>{low:.4g} to {high:.4g}</source>
        <translation>{low:.4g} 到 {high:.4g}</translation>
    </message>
    <message>
        <source>{low:.4g} to {high:.4g}, at most {most:,} in a bin</source>
        <translation>{low:.4g} 到 {high:.4g}，一格最多 {most:,} 个</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} 到 {high}</translation>
    </message>
    <message>
        <source>{made} is {value}{where}.</source>
        <translation>{made} 是 {value}{where}。</translation>
    </message>
    <message>
        <source>{mild:,} mild and {severe:,} severe outliers are among the samples.</source>
        <translation>样本中有 {mild:,} 个轻度和 {severe:,} 个重度异常值。</translation>
    </message>
    <message>
        <source>{moved} of {size}</source>
        <translation>{size} 中的 {moved}</translation>
    </message>
    <message>
        <source>{much}, and {within}</source>
        <translation>{much}，以及{within}</translation>
    </message>
    <message>
        <source>{much}, what is within shard_map on one device</source>
        <translation>{much}，其中 shard_map 之内的只算一个设备</translation>
    </message>
    <message>
        <source>{names} names no arguments.</source>
        <translation>{names} 没有指明参数。</translation>
    </message>
    <message>
        <source>{names}, in a small example of each.</source>
        <translation>{names}，各在一个小例子中看到。</translation>
    </message>
    <message>
        <source>{name}  (JAX {jax}, Python {python}, target {target})</source>
        <translation>{name}（JAX {jax}，Python {python}，目标 {target}）</translation>
    </message>
    <message>
        <source>{name} (loaded)</source>
        <translation>{name}（已载入）</translation>
    </message>
    <message>
        <source>{name} (result {output})</source>
        <translation>{name}（结果 {output}）</translation>
    </message>
    <message>
        <source>{name} ({number} of {num})</source>
        <translation>{name}（第 {number} 个，共 {num} 个）</translation>
    </message>
    <message>
        <source>{name} and {num} more</source>
        <translation>{name} 和另外 {num} 个</translation>
    </message>
    <message>
        <source>{name} applies the transforms anew in each call</source>
        <translation>{name} 在每次调用中重新应用变换</translation>
    </message>
    <message>
        <source>{name} at {x:,.0f}: {y} ({low} to {high})</source>
        <translation>{name}，{x:,.0f} 处：{y}（{low} 到 {high}）</translation>
    </message>
    <message>
        <source>{name} backward</source>
        <translation>{name} 反向</translation>
    </message>
    <message>
        <source>{name} calls {target}, which is one unit.</source>
        <translation>{name} 调用 {target}，那是一个整体。</translation>
    </message>
    <message>
        <source>{name} cannot be opened as a capture.</source>
        <translation>无法把 {name} 作为捕获打开。</translation>
    </message>
    <message>
        <source>{name} cannot be opened: it is damaged or no capture of jaxscope's.</source>
        <translation>无法打开 {name}：它已损坏，或者不是 jaxscope 的捕获。</translation>
    </message>
    <message>
        <source>{name} cannot be read as {what}.</source>
        <translation>无法把 {name} 作为{what}读取。</translation>
    </message>
    <message>
        <source>{name} changes the order of the elements in memory ({operation}): one of the two would read or write across the rows.</source>
        <translation>{name} 改变元素在内存中的次序（{operation}）：两者之一会跨行读写。</translation>
    </message>
    <message>
        <source>{name} compiled again while it was measured.</source>
        <translation>{name} 在测量时又编译了一次。</translation>
    </message>
    <message>
        <source>{name} copies a value that is about to be overwritten, by a loop or in place. Such copies are put in after fusing.</source>
        <translation>{name} 复制一个即将被循环或就地改写的值。这种复制是在融合之后加上的。</translation>
    </message>
    <message>
        <source>{name} could not be read as an array for {path}.</source>
        <translation>{name} 无法作为 {path} 的数组读取。</translation>
    </message>
    <message>
        <source>{name} could not be read.</source>
        <translation>{name} 读取失败。</translation>
    </message>
    <message>
        <source>{name} could not be saved.</source>
        <translation>无法保存 {name}。</translation>
    </message>
    <message>
        <source>{name} does not fit the argument {path}: it has the shape {shape}.</source>
        <translation>{name} 与参数 {path} 不符：它的形状是 {shape}。</translation>
    </message>
    <message>
        <source>{name} does not fit the argument {path}: it has the type {dtype}.</source>
        <translation>{name} 与参数 {path} 不符：它的类型是 {dtype}。</translation>
    </message>
    <message>
        <source>{name} ends in a {operation}, which can be done in place, touching only the part that changes, as long as it is the end of its kernel and nothing else of the array is computed there.</source>
        <translation>{name} 以一个 {operation} 结尾，只要它是内核的最后一步，而且数组的其余部分不在那里计算，就可以就地完成，只碰到改变的部分。</translation>
    </message>
    <message>
        <source>{name} grows like size^{power:.2f} ({low:.2f} to {high:.2f} between pairs of sizes; from {first:,} on, {sizes})</source>
        <translation>{name} 按 大小^{power:.2f} 增长（各对大小之间为 {low:.2f} 到 {high:.2f}；从 {first:,} 起，{sizes}）</translation>
    </message>
    <message>
        <source>{name} has an effect outside of the program: no kernel may repeat it or leave it out.</source>
        <translation>{name} 在程序之外有作用：没有内核可以重复它或省去它。</translation>
    </message>
    <message>
        <source>{name} has no array {wanted}.</source>
        <translation>{name} 中没有数组 {wanted}。</translation>
    </message>
    <message>
        <source>{name} has no ending that names a format of comparisons.</source>
        <translation>{name} 的扩展名不是任何一种比较格式的。</translation>
    </message>
    <message>
        <source>{name} holds several arrays.</source>
        <translation>{name} 含有多个数组。</translation>
    </message>
    <message>
        <source>{name} in {place}</source>
        <translation>{place} 中的 {name}</translation>
    </message>
    <message>
        <source>{name} is a collective: devices wait for each other there.</source>
        <translation>{name} 是集合通信：设备在那里相互等待。</translation>
    </message>
    <message>
        <source>{name} is a constant: it is alive at all steps, and not listed.</source>
        <translation>{name} 是常量：在所有步骤中都存活，不列出。</translation>
    </message>
    <message>
        <source>{name} is a pattern that {config} computes as a whole: only what that supports can be part of it.</source>
        <translation>{name} 是一个由 {config} 作为整体计算的模式：只有它支持的内容才能成为其中一部分。</translation>
    </message>
    <message>
        <source>{name} is a {operation}, which has code of its own.</source>
        <translation>{name} 是一个 {operation}，它有自己的代码。</translation>
    </message>
    <message>
        <source>{name} is a {operation}: nothing runs for it, so it is no kernel.</source>
        <translation>{name} 是一个 {operation}：没有什么为它运行，所以它不是内核。</translation>
    </message>
    <message>
        <source>{name} is a {operation}: what is inside is compiled by itself.</source>
        <translation>{name} 是一个 {operation}：里面的内容单独编译。</translation>
    </message>
    <message>
        <source>{name} is alive from step {start:,} to {end:,}; shown: step {step:,}.</source>
        <translation>{name} 从第 {start:,} 步到第 {end:,} 步存活；当前显示第 {step:,} 步。</translation>
    </message>
    <message>
        <source>{name} is called while JAX traces: its result is a constant of the compiled program, and a difference of two is the time of tracing.</source>
        <translation>JAX 追踪时调用了 {name}：它的结果是编译后的程序中的常量，两次之差是追踪的时间。</translation>
    </message>
    <message>
        <source>{name} is called while JAX traces: what is read is a constant of the compiled program, and what is written is written once.</source>
        <translation>JAX 追踪时调用了 {name}：读到的内容是编译后的程序中的常量，写出的内容只写一次。</translation>
    </message>
    <message>
        <source>{name} is called while JAX traces: what it draws is a constant of the compiled program, the same numbers in every run.</source>
        <translation>JAX 追踪时调用了 {name}：它抽到的内容是编译后的程序中的常量，每次运行都是同样的数。</translation>
    </message>
    <message>
        <source>{name} is called.</source>
        <translation>调用了 {name}。</translation>
    </message>
    <message>
        <source>{name} is compiled as a whole.</source>
        <translation>{name} 作为整体编译。</translation>
    </message>
    <message>
        <source>{name} is empty.</source>
        <translation>{name} 是空的。</translation>
    </message>
    <message>
        <source>{name} is held: values of its shape and type are compared with it.</source>
        <translation>已保持 {name}：形状和类型相同的值会与它比较。</translation>
    </message>
    <message>
        <source>{name} is no Python file.</source>
        <translation>{name} 不是 Python 文件。</translation>
    </message>
    <message>
        <source>{name} is no lesson.</source>
        <translation>{name} 不是课程文件。</translation>
    </message>
    <message>
        <source>{name} is no text in UTF-8.</source>
        <translation>{name} 不是 UTF-8 文本。</translation>
    </message>
    <message>
        <source>{name} is nothing that jaxscope can open.</source>
        <translation>jaxscope 无法打开 {name}。</translation>
    </message>
    <message>
        <source>{name} is too large for a lesson: it may have 200 kB.</source>
        <translation>{name} 作为课程文件太大：最多 200 kB。</translation>
    </message>
    <message>
        <source>{name} is {found}, but does not begin like one.</source>
        <translation>{name} 是 {found}，但开头不符合这种格式。</translation>
    </message>
    <message>
        <source>{name} is {found}, not a Python file.</source>
        <translation>{name} 是{found}，不是 Python 文件。</translation>
    </message>
    <message>
        <source>{name} is {kind}, not a Python file.</source>
        <translation>{name} 是{kind}，不是 Python 文件。</translation>
    </message>
    <message>
        <source>{name} itself</source>
        <translation>{name} 自身</translation>
    </message>
    <message>
        <source>{name} line {line}</source>
        <translation>{name} 第 {line} 行</translation>
    </message>
    <message>
        <source>{name} makes {value} of {given}{where}.</source>
        <translation>{name} 由{given}产生 {value}{where}。</translation>
    </message>
    <message>
        <source>{name} of other types ({count:,})</source>
        <translation>其他类型的 {name}（{count:,}）</translation>
    </message>
    <message>
        <source>{name} of the same types ({count:,})</source>
        <translation>相同类型的 {name}（{count:,}）</translation>
    </message>
    <message>
        <source>{name} of {whom}</source>
        <translation>{whom} 的 {name}</translation>
    </message>
    <message>
        <source>{name} returns {kind}: its values are not there yet, so there is nothing to measure.</source>
        <translation>{name} 返回 {kind}：它的值还不存在，所以没有什么可测量。</translation>
    </message>
    <message>
        <source>{name} returns {kind}: nothing of its body ran, so there is nothing to measure.</source>
        <translation>{name} 返回 {kind}：函数体完全没有运行，所以没有什么可测量。</translation>
    </message>
    <message>
        <source>{name} reversed</source>
        <translation>{name} 逆序</translation>
    </message>
    <message>
        <source>{name} runs as a whole.</source>
        <translation>{name} 作为整体运行。</translation>
    </message>
    <message>
        <source>{name} runs while JAX traces, once for each new type of the arguments, and never when the compiled program runs; of arrays it shows types, no values.</source>
        <translation>{name} 在 JAX 追踪时运行，参数每有一种新的类型运行一次，编译后的程序运行时从不运行；它看到的是数组的类型，不是值。</translation>
    </message>
    <message>
        <source>{name} stands between them: one kernel for both would have to hold that as well, or wait for it.</source>
        <translation>{name} 处在两者之间：两者合成的一个内核也要包含它，或者等待它。</translation>
    </message>
    <message>
        <source>{name} takes the function and its arguments in one call.</source>
        <translation>{name} 在一次调用中取得函数和它的参数。</translation>
    </message>
    <message>
        <source>{name} takes {median} ({spread})</source>
        <translation>{name} 用时 {median}（{spread}）</translation>
    </message>
    <message>
        <source>{name} traced or compiled {num} times while it was measured: its durations include that.</source>
        <translation>{name} 在测量时追踪或编译了 {num} 次：它的时间包含这些。</translation>
    </message>
    <message>
        <source>{name} traces or compiles anew in {often}</source>
        <translation>{name} 在 {often} 中重新追踪或编译</translation>
    </message>
    <message>
        <source>{name} uses no jit; it was run as jit({name}).</source>
        <translation>{name} 没有使用 jit；以 jit({name}) 运行。</translation>
    </message>
    <message>
        <source>{name} waits while JAX traces, and never when the compiled program runs.</source>
        <translation>{name} 在 JAX 追踪时等待，编译后的程序运行时从不等待。</translation>
    </message>
    <message>
        <source>{name} was fused into {into}, as {fusion}.</source>
        <translation>{name} 被融合进 {into}，成为 {fusion}。</translation>
    </message>
    <message>
        <source>{name} was not fused: {reason}.</source>
        <translation>{name} 没有被融合：{reason}。</translation>
    </message>
    <message>
        <source>{name} was run from Python, outside of jit, and compiled {count} times: it is compiled anew for each new function that it is given, such as a lambda made in a loop, and for each new shape. Define the function once, outside of the loop, or jit what is around it.</source>
        <translation>{name} 是在 jit 之外由 Python 运行的，编译了 {count} 次：每给它一个新的函数（例如循环中生成的 lambda）或新的形状，它都重新编译。请在循环之外只定义一次函数，或者对它外围的代码使用 jit。</translation>
    </message>
    <message>
        <source>{name} without its own jit</source>
        <translation>{name} 不含它自己的 jit</translation>
    </message>
    <message>
        <source>{name} {fate}</source>
        <translation>{name} {fate}</translation>
    </message>
    <message>
        <source>{name} {seconds}</source>
        <translation>{name} {seconds}</translation>
    </message>
    <message>
        <source>{name}, a primitive of JAX</source>
        <translation>{name}，JAX 的一个原语</translation>
    </message>
    <message>
        <source>{name}, an opcode of HLO</source>
        <translation>{name}，HLO 的一个操作码</translation>
    </message>
    <message>
        <source>{name}, line {line}</source>
        <translation>{name}，第 {line} 行</translation>
    </message>
    <message>
        <source>{name}.hlo_module_cost_analysis: what XLA counts is not known.</source>
        <translation>{name}.hlo_module_cost_analysis：不知道 XLA 计了多少。</translation>
    </message>
    <message>
        <source>{name}.user_frames: places in the source are not known.</source>
        <translation>{name}.user_frames：不知道源代码中的位置。</translation>
    </message>
    <message>
        <source>{name}: memory was fetched anew, {faults:,.0f} page faults a call: what one call frees goes back to the system, and the next one gets it page by page.</source>
        <translation>{name}：内存要重新取得，每次调用 {faults:,.0f} 次缺页：一次调用释放的内存还给系统，下一次再逐页取得。</translation>
    </message>
    <message>
        <source>{name}: none.</source>
        <translation>{name}：无。</translation>
    </message>
    <message>
        <source>{name}: {meaning}</source>
        <translation>{name}：{meaning}</translation>
    </message>
    <message>
        <source>{newer}. What cannot be read of it is left out, with the reason in its place.</source>
        <translation>{newer}。其中无法读取的部分不包含在内，原处写明原因。</translation>
    </message>
    <message>
        <source>{no_ceilings} “{text}” finds it out in seconds.</source>
        <translation>{no_ceilings} “{text}”几秒之内就能得知。</translation>
    </message>
    <message>
        <source>{nodes} forward, </source>
        <translation>前向 {nodes}，</translation>
    </message>
    <message>
        <source>{noise} These peaks are likely too low: measure again when it is idle.</source>
        <translation>{noise}这些峰值可能偏低：请在机器空闲时重新测量。</translation>
    </message>
    <message>
        <source>{not_recorded}: it could not start ({name}).</source>
        <translation>{not_recorded}：无法启动（{name}）。</translation>
    </message>
    <message>
        <source>{not_recorded}: it failed ({name}).</source>
        <translation>{not_recorded}：出错（{name}）。</translation>
    </message>
    <message>
        <source>{note} Of the first, not all.</source>
        <translation>{note}第一对也不完整。</translation>
    </message>
    <message>
        <source>{num:,} arrays</source>
        <translation>{num:,} 个数组</translation>
    </message>
    <message>
        <source>{num:,} by NaN or Inf</source>
        <translation>{num:,} 个因 NaN 或 Inf 而不同</translation>
    </message>
    <message>
        <source>{num:,} kernels stand in loops and count as often as these run.</source>
        <translation>{num:,} 个内核在循环中，按循环运行的次数计。</translation>
    </message>
    <message>
        <source>{num:,} lines ran; the first {kept:,} are shown, and what the others added is not.</source>
        <translation>运行了 {num:,} 行；显示最前面的 {kept:,} 行，其余各行增加的内容不显示。</translation>
    </message>
    <message>
        <source>{num:,} of the shortest events are not drawn.</source>
        <translation>最短的 {num:,} 个事件没有画出。</translation>
    </message>
    <message>
        <source>{num:,} of them are the value of another result, too</source>
        <translation>其中 {num:,} 个与另一个结果是同一个值</translation>
    </message>
    <message>
        <source>{num:,} of these are arguments and results</source>
        <translation>其中 {num:,} 个是参数和结果</translation>
    </message>
    <message>
        <source>{num:,} of {all:,} arrays</source>
        <translation>{all:,} 个数组中的 {num:,} 个</translation>
    </message>
    <message>
        <source>{num:,} of {elements} differ</source>
        <translation>{elements}中有 {num:,} 个不同</translation>
    </message>
    <message>
        <source>{num:,} products of {rows} x {depth} by {depth} x {columns}: the matrix unit of a TPU works on tiles of at least 8 x 128 x 128, so it computes {times:,.0f} times what they need. That follows from the shapes and the documented tile; it is no measurement.</source>
        <translation>{num:,} 个 {rows} x {depth} 乘 {depth} x {columns} 的乘积：TPU 的矩阵单元按至少 8 x 128 x 128 的块工作，所以计算量是所需的 {times:,.0f} 倍。这由形状和文档所写的块大小得出，并非测量。</translation>
    </message>
    <message>
        <source>{num:,} smaller</source>
        <translation>{num:,} 个更小的</translation>
    </message>
    <message>
        <source>{num:,} unused</source>
        <translation>{num:,} 个未使用</translation>
    </message>
    <message>
        <source>{num:,} values</source>
        <translation>{num:,} 个值</translation>
    </message>
    <message>
        <source>{num_entries} more …</source>
        <translation>另有 {num_entries} 项 …</translation>
    </message>
    <message>
        <source>{num_equations:,} of {all_equations} give other bits compiled; in {num_here:,} of them the difference arises.</source>
        <translation>{all_equations}中有 {num_equations:,} 个编译后给出不同的位；其中 {num_here:,} 个是差别产生的地方。</translation>
    </message>
    <message>
        <source>{num_hits:,} found</source>
        <translation>找到 {num_hits:,} 个</translation>
    </message>
    <message>
        <source>{num_left_out:,} transfers more were of other lines or types.</source>
        <translation>另有 {num_left_out:,} 次传输属于其他行或类型。</translation>
    </message>
    <message>
        <source>{num_messages_left_out} more messages were left out.</source>
        <translation>另有 {num_messages_left_out} 条消息没有包含在内。</translation>
    </message>
    <message>
        <source>{num_near:,} nodes within {steps}.</source>
        <translation>{steps}之内有 {num_near:,} 个节点。</translation>
    </message>
    <message>
        <source>{num_path} steps from one to the other{across}.</source>
        <translation>从一个到另一个共 {num_path} 步{across}。</translation>
    </message>
    <message>
        <source>{num_places} places bookmarked.</source>
        <translation>已为 {num_places} 处加书签。</translation>
    </message>
    <message>
        <source>{num_shown} modules, {order} first:</source>
        <translation>{num_shown} 个模块，{order}在前：</translation>
    </message>
    <message>
        <source>{num_signatures}, {num_recompilations}: {wasted} spent again</source>
        <translation>{num_signatures}，{num_recompilations}：重复花费 {wasted}</translation>
    </message>
    <message>
        <source>{num_twice:,} values are</source>
        <translation>有 {num_twice:,} 个值</translation>
    </message>
    <message>
        <source>{number} differs from {nearest}: {changes}</source>
        <translation>{number} 与 {nearest} 不同：{changes}</translation>
    </message>
    <message>
        <source>{number} is no number; numbers are such as 12, 4k or 1.5M.</source>
        <translation>{number} 不是数；数的写法如 12、4k 或 1.5M。</translation>
    </message>
    <message>
        <source>{number} of {num_stops}</source>
        <translation>{number} / {num_stops}</translation>
    </message>
    <message>
        <source>{number} of {num}</source>
        <translation>{number} / {num}</translation>
    </message>
    <message>
        <source>{number} pairs</source>
        <translation>{number} 对</translation>
    </message>
    <message>
        <source>{number} {fate}</source>
        <translation>{fate} {number}</translation>
    </message>
    <message>
        <source>{num} boxes</source>
        <translation>{num} 个方框</translation>
    </message>
    <message>
        <source>{num} boxes are shown. Arrow keys walk along the lines.</source>
        <translation>显示了 {num} 个方框。用方向键沿着线走。</translation>
    </message>
    <message>
        <source>{num} equations came from it ({parts}).</source>
        <translation>由它产生了 {num} 个方程（{parts}）。</translation>
    </message>
    <message>
        <source>{num} loops are</source>
        <translation>有 {num} 个循环</translation>
    </message>
    <message>
        <source>{num} others</source>
        <translation>其他 {num} 个</translation>
    </message>
    <message>
        <source>{num} sizes</source>
        <translation>{num} 个大小</translation>
    </message>
    <message>
        <source>{num} values</source>
        <translation>{num} 个值</translation>
    </message>
    <message>
        <source>{odd} among {values}</source>
        <translation>{values}中有 {odd}</translation>
    </message>
    <message>
        <source>{odd}. {first} is {equation} ({operation}) of the stage {stage}: {because}</source>
        <translation>{odd}。{first}是阶段 {stage} 的 {equation}（{operation}）：{because}</translation>
    </message>
    <message>
        <source>{of_what} with the dearest branches</source>
        <translation>{of_what}（按代价最大的分支）</translation>
    </message>
    <message>
        <source>{of_what}, each while loop once</source>
        <translation>{of_what}（每个 while 循环只算一轮）</translation>
    </message>
    <message>
        <source>{operands} go in, {results} come out on each device; {sent}{often}.</source>
        <translation>每个设备输入 {operands}，输出 {results}；{sent}{often}。</translation>
    </message>
    <message>
        <source>{operation} + {count}</source>
        <translation>{operation} + {count}</translation>
    </message>
    <message>
        <source>{operation} changes nothing</source>
        <translation>{operation} 不改变任何东西</translation>
    </message>
    <message>
        <source>{operation}, line {line}</source>
        <translation>{operation}，第 {line} 行</translation>
    </message>
    <message>
        <source>{operation}: what is inside was traced before, so its Python does not run again.</source>
        <translation>{operation}：内部以前追踪过，所以它的 Python 不再运行。</translation>
    </message>
    <message>
        <source>{origin} From: {links}</source>
        <translation>{origin} 来自：{links}</translation>
    </message>
    <message>
        <source>{outer} / {inner}</source>
        <translation>{outer} / {inner}</translation>
    </message>
    <message>
        <source>{outer} of {inner}</source>
        <translation>{inner}的{outer}</translation>
    </message>
    <message>
        <source>{outside}: the slice is moved, and reads from {moved} on.</source>
        <translation>{outside}：切片被移动，改为从 {moved} 起读取。</translation>
    </message>
    <message>
        <source>{outside}: the slice is moved, and writes from {moved} on.</source>
        <translation>{outside}：切片被移动，改为从 {moved} 起写入。</translation>
    </message>
    <message>
        <source>{padding} of the peak are padding, which the tiles of layouts ask for.</source>
        <translation>峰值中有 {padding} 是填充，由布局的分块所要求。</translation>
    </message>
    <message>
        <source>{pairs} of the {least} pairs that a verdict takes</source>
        <translation>{pairs} 对，而下结论需要 {least} 对</translation>
    </message>
    <message>
        <source>{part:,} of {whole:,}</source>
        <translation>{whole:,} 中的 {part:,}</translation>
    </message>
    <message>
        <source>{part} of {owner}</source>
        <translation>{owner} 的{part}</translation>
    </message>
    <message>
        <source>{part} on {devices}</source>
        <translation>{part} 在 {devices}</translation>
    </message>
    <message>
        <source>{passes} changed the program: {num_instructions:,} instructions became {num_left:,}, with {num_fusions}.{totals}{unlisted}</source>
        <translation>{passes}改变了程序：{num_instructions:,} 条指令变成 {num_left:,} 条，含 {num_fusions}。{totals}{unlisted}</translation>
    </message>
    <message>
        <source>{path} cannot be parsed as StableHLO by jaxlib {version}.</source>
        <translation>jaxlib {version} 无法把 {path} 解析为 StableHLO。</translation>
    </message>
    <message>
        <source>{path} cannot be read as StableHLO here.</source>
        <translation>{path} 在这里无法作为 StableHLO 读取。</translation>
    </message>
    <message>
        <source>{path} cannot be read.</source>
        <translation>无法读取 {path}。</translation>
    </message>
    <message>
        <source>{path} cannot be written</source>
        <translation>无法写入 {path}</translation>
    </message>
    <message>
        <source>{path} cannot be written: it is a folder.</source>
        <translation>无法写入 {path}：它是文件夹。</translation>
    </message>
    <message>
        <source>{path} cannot be written: it is in a folder that does not exist.</source>
        <translation>无法写入 {path}：它所在的文件夹不存在。</translation>
    </message>
    <message>
        <source>{path} cannot be written: it is no regular file.</source>
        <translation>无法写入 {path}：它不是普通文件。</translation>
    </message>
    <message>
        <source>{path} comes as several kinds of random key ({kinds}).</source>
        <translation>{path} 传入的是几种不同的随机密钥（{kinds}）。</translation>
    </message>
    <message>
        <source>{path} comes in several dtypes ({dtypes}).</source>
        <translation>{path} 有几种 dtype（{dtypes}）。</translation>
    </message>
    <message>
        <source>{path} comes with several numbers of dimensions ({before} and {after}). Bring it to one form before the call.</source>
        <translation>{path} 的维数有几种（{before} 和 {after}）。请在调用之前化为同一种形式。</translation>
    </message>
    <message>
        <source>{path} contains a NUL byte, which Python does not allow.</source>
        <translation>{path} 含有 NUL 字节，Python 不允许。</translation>
    </message>
    <message>
        <source>{path} could not be written.</source>
        <translation>无法写出 {path}。</translation>
    </message>
    <message>
        <source>{path} could not be written: {problem}</source>
        <translation>无法写出 {path}：{problem}</translation>
    </message>
    <message>
        <source>{path} goes in as {old}{weak} and comes back as {new}</source>
        <translation>{path} 进去时是 {old}{weak}，返回时是 {new}</translation>
    </message>
    <message>
        <source>{path} has a weak type in some calls only, as Python's int, float and complex have, and arrays made of them without a dtype. Pass jnp.asarray({path}, dtype) always, or a Python number always.</source>
        <translation>{path} 只在某些调用中是弱类型，Python 的 int、float 和 complex 以及由它们生成而未指定 dtype 的数组就是这样。请始终传 jnp.asarray({path}, dtype)，或者始终传 Python 的数。</translation>
    </message>
    <message>
        <source>{path} has words of a log or message of JAX's or XLA's, but no line that is whole.</source>
        <translation>{path} 含有 JAX 或 XLA 的日志或消息中的词，但没有一行是完整的。</translation>
    </message>
    <message>
        <source>{path} has {count}</source>
        <translation>{path}：{count}</translation>
    </message>
    <message>
        <source>{path} is a Python file, which no job left behind.</source>
        <translation>{path} 是 Python 文件，不是作业留下的。</translation>
    </message>
    <message>
        <source>{path} is a folder of a profiler's recordings, not a Python file.</source>
        <translation>{path} 是存放性能剖析记录的文件夹，不是 Python 文件。</translation>
    </message>
    <message>
        <source>{path} is a folder of modules that XLA dumped, not a Python file.</source>
        <translation>{path} 是存放 XLA 转储的模块的文件夹，不是 Python 文件。</translation>
    </message>
    <message>
        <source>{path} is a folder, not a Python file.</source>
        <translation>{path} 是文件夹，不是 Python 文件。</translation>
    </message>
    <message>
        <source>{path} is compressed with {program}, which this Python cannot read.</source>
        <translation>{path} 是用 {program} 压缩的，这个 Python 无法读取。</translation>
    </message>
    <message>
        <source>{path} is larger than what jaxscope reads ({size} MiB).</source>
        <translation>{path} 超过了 jaxscope 读取的大小（{size} MiB）。</translation>
    </message>
    <message>
        <source>{path} is larger than {most} MiB, the most jaxscope reads.</source>
        <translation>{path} 大于 {most} MiB，这是 jaxscope 读取的上限。</translation>
    </message>
    <message>
        <source>{path} is no module that can be read.</source>
        <translation>{path} 不是可以读取的模块。</translation>
    </message>
    <message>
        <source>{path} is no notebook that can be read.</source>
        <translation>{path} 不是可以读取的 notebook。</translation>
    </message>
    <message>
        <source>{path} is no path: it holds a zero byte.</source>
        <translation>{path} 不是路径：它含有零字节。</translation>
    </message>
    <message>
        <source>{path} is not text in the encoding it claims.</source>
        <translation>{path} 不是它所声明的编码的文本。</translation>
    </message>
    <message>
        <source>{path} is shown as text, without a graph. {why}</source>
        <translation>{path} 以文本显示，没有图。{why}</translation>
    </message>
    <message>
        <source>{path} is too complex for Python's parser.</source>
        <translation>{path} 对 Python 的解析器来说太复杂。</translation>
    </message>
    <message>
        <source>{path} is {kind}, not a Python file.</source>
        <translation>{path} 是{kind}，而不是 Python 文件。</translation>
    </message>
    <message>
        <source>{path} lies on devices in several ways. Put it there with the same sharding each time, or name in_shardings.</source>
        <translation>{path} 在设备上的放置有几种。请每次用相同的分布放置，或者指定 in_shardings。</translation>
    </message>
    <message>
        <source>{path} was not written.</source>
        <translation>没有写出 {path}。</translation>
    </message>
    <message>
        <source>{path} was not written: {error}</source>
        <translation>没有写出 {path}：{error}</translation>
    </message>
    <message>
        <source>{path} was not written: {strerror}.</source>
        <translation>没有写出 {path}：{strerror}。</translation>
    </message>
    <message>
        <source>{path}: {found} of {name} was made {type_}.</source>
        <translation>{path}：{name} 的 {found} 转换成了 {type_}。</translation>
    </message>
    <message>
        <source>{path}: {reason}</source>
        <translation>{path}：{reason}</translation>
    </message>
    <message>
        <source>{peak}: half of the runs took {factor} times as long as the fastest, or longer: something disturbed them, and the peak may be too low.</source>
        <translation>{peak}：一半的运行用时达到最快一次的 {factor} 倍或更多：测量受到干扰，峰值可能偏低。</translation>
    </message>
    <message>
        <source>{peak}: the best of {num:,} runs</source>
        <translation>{peak}：{num:,} 次运行中最快的一次</translation>
    </message>
    <message>
        <source>{place} (no longer there)</source>
        <translation>{place}（已不存在）</translation>
    </message>
    <message>
        <source>{place} in {function}</source>
        <translation>{place}，在 {function} 中</translation>
    </message>
    <message>
        <source>{place} is not in {stage} now.</source>
        <translation>{place} 现在不在 {stage} 中。</translation>
    </message>
    <message>
        <source>{place} of the text that ran</source>
        <translation>{place}（运行时的文本）</translation>
    </message>
    <message>
        <source>{policy} keeps {kept} instead of {other}{price}.</source>
        <translation>{policy} 保留 {kept}，而不是 {other}{price}。</translation>
    </message>
    <message>
        <source>{primitive} is counted for f32, f16 and bf16 only</source>
        <translation>{primitive} 只对 f32、f16 和 bf16 计算</translation>
    </message>
    <message>
        <source>{producers} fused, {refusals}, {estimates}. Times are those that XLA's model of the chip estimates, in microseconds; nothing was measured.</source>
        <translation>融合了 {producers}，{refusals}，{estimates}。时间是 XLA 的芯片模型所估计的，以微秒为单位；没有做任何测量。</translation>
    </message>
    <message>
        <source>{python} cannot be started.</source>
        <translation>无法启动 {python}。</translation>
    </message>
    <message>
        <source>{python} is a Python that is too old; jaxscope needs 3.11 or newer.</source>
        <translation>{python} 这个 Python 太旧；jaxscope 需要 3.11 或更新的版本。</translation>
    </message>
    <message>
        <source>{quantity} of {title}</source>
        <translation>{title} 的 {quantity}</translation>
    </message>
    <message>
        <source>{quantity} unknown</source>
        <translation>{quantity} 未知</translation>
    </message>
    <message>
        <source>{ran}: of functions that the program calls back</source>
        <translation>{ran}：属于程序回调的函数</translation>
    </message>
    <message>
        <source>{rate}/s in {names}</source>
        <translation>{names} 为 {rate}/s</translation>
    </message>
    <message>
        <source>{readings} of 0 s left out.</source>
        <translation>略去了 {readings}（0 s）。</translation>
    </message>
    <message>
        <source>{reason}: jaxscope laid out {groups} itself.</source>
        <translation>{reason}：jaxscope 自己布置了 {groups}。</translation>
    </message>
    <message>
        <source>{results} (of {link})</source>
        <translation>{results}（来自 {link}）</translation>
    </message>
    <message>
        <source>{saved}: {values} not written ({written}) and not read ({read})</source>
        <translation>{saved}：{values} 不用写出（{written}），也不用读取（{read}）</translation>
    </message>
    <message>
        <source>{savings} For {subject}.</source>
        <translation>{savings} 对象：{subject}。</translation>
    </message>
    <message>
        <source>{seconds} (cached)</source>
        <translation>{seconds}（来自缓存）</translation>
    </message>
    <message>
        <source>{seconds} in all, one run. Lines are sampled ({looks} at the stack); XLA's parts are from its recorder.</source>
        <translation>共 {seconds}，运行一次。各行是采样得到的（对调用栈 {looks}）；XLA 的各部分来自它的记录器。</translation>
    </message>
    <message>
        <source>{seconds} in all: {told}.</source>
        <translation>共 {seconds}：{told}。</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>{seconds}, {share} of all</source>
        <translation>{seconds}，占全部的 {share}</translation>
    </message>
    <message>
        <source>{second} and {first} take the same time: the median ratio is within 2 % of 1 ({interval})</source>
        <translation>{second} 和 {first} 用时相同：比值的中位数与 1 相差不到 2 %（{interval}）</translation>
    </message>
    <message>
        <source>{second} is faster than {first}{pairs}, by how much differs widely ({interval})</source>
        <translation>{second} 比 {first} 快 {pairs}，快多少相差很大（{interval}）</translation>
    </message>
    <message>
        <source>{second} is faster than {first}{pairs}: {factor} times in the middle ({interval})</source>
        <translation>{second} 比 {first} 快 {pairs}：居中的是 {factor} 倍（{interval}）</translation>
    </message>
    <message>
        <source>{second} is slower than {first}: {factor} of its speed ({interval})</source>
        <translation>{second} 比 {first} 慢：速度是它的 {factor}（{interval}）</translation>
    </message>
    <message>
        <source>{second} is slower than {first}{pairs}, by how much differs widely ({interval})</source>
        <translation>{second} 比 {first} 慢 {pairs}，慢多少相差很大（{interval}）</translation>
    </message>
    <message>
        <source>{second} is slower than {first}{pairs}: {factor} of its speed in the middle ({interval})</source>
        <translation>{second} 比 {first} 慢 {pairs}：居中的速度是它的 {factor}（{interval}）</translation>
    </message>
    <message>
        <source>{second} is {factor} times faster than {first} ({interval})</source>
        <translation>{second} 的速度是 {first} 的 {factor} 倍（{interval}）</translation>
    </message>
    <message>
        <source>{share} of the measured time of {title}: {seconds}</source>
        <translation>占 {title} 测得时间的 {share}：{seconds}</translation>
    </message>
    <message>
        <source>{share} of the {of_what}: {told}</source>
        <translation>占{of_what}的 {share}：{told}</translation>
    </message>
    <message>
        <source>{share} of {wall} with an instruction at work, {gaps} dispatch and gaps; recorded, the run of median length.</source>
        <translation>{wall} 中有 {share} 的时间有指令在工作，{gaps} 是派发和间隙；已记录，取时长居中的那次运行。</translation>
    </message>
    <message>
        <source>{shown} has no graph: this is the one of {drawn}.</source>
        <translation>{shown} 没有图：这里导出 {drawn} 的图。</translation>
    </message>
    <message>
        <source>{size:,} elements from {start} on do not fit into axis {axis}, which has {length:,}</source>
        <translation>从 {start} 起的 {size:,} 个元素放不进轴 {axis}，该轴有 {length:,} 个元素</translation>
    </message>
    <message>
        <source>{size} a round</source>
        <translation>每轮 {size}</translation>
    </message>
    <message>
        <source>{size} in {values} within a round of a loop</source>
        <translation>循环的一轮之内 {values}，共 {size}</translation>
    </message>
    <message>
        <source>{size} in {values}, as the jaxpr hands them over</source>
        <translation>{values}，共 {size}，按 jaxpr 所交接的计</translation>
    </message>
    <message>
        <source>{size} read and written</source>
        <translation>读写 {size}</translation>
    </message>
    <message>
        <source>{stage} · group</source>
        <translation>{stage} · 组</translation>
    </message>
    <message>
        <source>{stage}, round {number:,} (from 0)</source>
        <translation>{stage}，第 {number:,} 轮（从 0 数起）</translation>
    </message>
    <message>
        <source>{step:,} (they count from 0 to {last:,})</source>
        <translation>{step:,}（从 0 数到 {last:,}）</translation>
    </message>
    <message>
        <source>{taken} was taken, not {names}.</source>
        <translation>执行了 {taken}，没有执行 {names}。</translation>
    </message>
    <message>
        <source>{taken} was taken.</source>
        <translation>执行了 {taken}。</translation>
    </message>
    <message>
        <source>{target}: {doing} …</source>
        <translation>{target}：{doing} …</translation>
    </message>
    <message>
        <source>{text}</source>
        <translation>{text}</translation>
    </message>
    <message>
        <source>{text} is no function but a {kind}.</source>
        <translation>{text} 不是函数，而是 {kind}。</translation>
    </message>
    <message>
        <source>{text} is no range of sizes.</source>
        <translation>{text} 不是大小的范围。</translation>
    </message>
    <message>
        <source>{text} is not a call.</source>
        <translation>{text} 不是调用。</translation>
    </message>
    <message>
        <source>{text} on devices {name_devices}</source>
        <translation>{text}，在设备 {name_devices} 上</translation>
    </message>
    <message>
        <source>{text}, now in {place}</source>
        <translation>{text}，现在在 {place} 中</translation>
    </message>
    <message>
        <source>{text}.</source>
        <translation>{text}。</translation>
    </message>
    <message>
        <source>{title} could not be made.
{replace}</source>
        <translation>无法生成 {title}。
{replace}</translation>
    </message>
    <message>
        <source>{title} — equal</source>
        <translation>{title} — 相等</translation>
    </message>
    <message>
        <source>{title} — not compared</source>
        <translation>{title} — 没有比较</translation>
    </message>
    <message>
        <source>{title}, as published</source>
        <translation>{title}（按公布的数值）</translation>
    </message>
    <message>
        <source>{title}: &lt;b&gt;{fate}&lt;/b&gt;{mark}{by}. {text}</source>
        <translation>{title}：&lt;b&gt;{fate}&lt;/b&gt;{mark}{by}。{text}</translation>
    </message>
    <message>
        <source>{title}: its fate is being worked out …</source>
        <translation>{title}：正在确定其去向 …</translation>
    </message>
    <message>
        <source>{title}: {in_words} is not verified.</source>
        <translation>{title}：{in_words}未经核实。</translation>
    </message>
    <message>
        <source>{told} ({interval})</source>
        <translation>{told}（{interval}）</translation>
    </message>
    <message>
        <source>{told} in a mesh, {axes}</source>
        <translation>{told}，组成网格，{axes}</translation>
    </message>
    <message>
        <source>{told} in {round}</source>
        <translation>{told}，在 {round}中</translation>
    </message>
    <message>
        <source>{told} kernel launches</source>
        <translation>{told} 次内核启动</translation>
    </message>
    <message>
        <source>{told} makes {kind} before it.</source>
        <translation>在它之前，{told} 产生 {kind}。</translation>
    </message>
    <message>
        <source>{told} of the stage {stage}</source>
        <translation>阶段 {stage} 的 {told}</translation>
    </message>
    <message>
        <source>{told} of {num:,} processes</source>
        <translation>{told}，属于 {num:,} 个进程</translation>
    </message>
    <message>
        <source>{told} {count}; {twice} computed by more than one kernel.</source>
        <translation>{told} {count}；{twice}由多个内核计算。</translation>
    </message>
    <message>
        <source>{told} · {remark}</source>
        <translation>{told} · {remark}</translation>
    </message>
    <message>
        <source>{told}, arithmetic the others</source>
        <translation>{told}，其余受算术限制</translation>
    </message>
    <message>
        <source>{told}, arithmetic {by_arithmetic:,}</source>
        <translation>{told}，{by_arithmetic:,} 个受算术限制</translation>
    </message>
    <message>
        <source>{told}, as operand {operand}</source>
        <translation>{told}，作为操作数 {operand}</translation>
    </message>
    <message>
        <source>{told}, each loop once</source>
        <translation>{told}，每个循环一次</translation>
    </message>
    <message>
        <source>{told}, {loops} counted once</source>
        <translation>{told}，{loops} 只算一次</translation>
    </message>
    <message>
        <source>{told}, {missing:,} of them not counted</source>
        <translation>{told}，其中 {missing:,} 次没有计入</translation>
    </message>
    <message>
        <source>{told}, {more:,} more</source>
        <translation>{told}，另有 {more:,} 个</translation>
    </message>
    <message>
        <source>{told}, {when}</source>
        <translation>{told}，{when}</translation>
    </message>
    <message>
        <source>{told}.</source>
        <translation>{told}。</translation>
    </message>
    <message>
        <source>{told}. {place}</source>
        <translation>{told}。{place}</translation>
    </message>
    <message>
        <source>{told}: XLA computes {value}, which depends on no argument, while it compiles.</source>
        <translation>{told}：XLA 在编译时计算 {value}，它不依赖任何参数。</translation>
    </message>
    <message>
        <source>{told}: the first's time is {factor} times the second's. Compiled, measured in random turns.</source>
        <translation>{told}：第一个的时间是第二个的 {factor} 倍。编译后的程序，按随机次序轮流测量。</translation>
    </message>
    <message>
        <source>{told}; computed again: {work}</source>
        <translation>{told}；重复计算：{work}</translation>
    </message>
    <message>
        <source>{told}; how busy the machine was then is not known.</source>
        <translation>{told}；当时机器有多忙未知。</translation>
    </message>
    <message>
        <source>{told}; load {load:.1f} on {num} processors.</source>
        <translation>{told}；{num} 个处理器上的负载为 {load:.1f}。</translation>
    </message>
    <message>
        <source>{told}; other programs kept {busy} of {num} processors busy.</source>
        <translation>{told}；其他程序占用了 {num} 个处理器中的 {busy} 个。</translation>
    </message>
    <message>
        <source>{told}; {crossing:,} between processes</source>
        <translation>{told}；{crossing:,} 次在进程之间</translation>
    </message>
    <message>
        <source>{told}&lt;br&gt;&lt;a href='page:stepping'&gt;Step through the numbers&lt;/a&gt;</source>
        <translation>{told}&lt;br&gt;&lt;a href='page:stepping'&gt;带着数值单步执行&lt;/a&gt;</translation>
    </message>
    <message>
        <source>{told}{observed}</source>
        <translation>{told}{observed}</translation>
    </message>
    <message>
        <source>{total_bytes} by XLA's plan: {argument_bytes} arguments, {result_bytes} results, {temporary_bytes} temporaries</source>
        <translation>按 XLA 的计划 {total_bytes}：参数 {argument_bytes}，结果 {result_bytes}，临时值 {temporary_bytes}</translation>
    </message>
    <message>
        <source>{transcendentals:,.0f} of exp, tanh and the like</source>
        <translation>{transcendentals:,.0f} 次 exp、tanh 之类</translation>
    </message>
    <message>
        <source>{transform} computes both branches, and a select chooses.</source>
        <translation>{transform} 会计算两个分支，由一个 select 选择。</translation>
    </message>
    <message>
        <source>{transform} does not need its result, so JAX left it out.</source>
        <translation>{transform} 不需要它的结果，所以 JAX 把它略去了。</translation>
    </message>
    <message>
        <source>{transform} takes positional arguments only.</source>
        <translation>{transform} 只接受位置参数。</translation>
    </message>
    <message>
        <source>{typed} is no list of options such as NAME=VALUE, NAME=VALUE.</source>
        <translation>{typed} 不是 NAME=VALUE, NAME=VALUE 形式的选项列表。</translation>
    </message>
    <message>
        <source>{type} (static)</source>
        <translation>{type}（静态）</translation>
    </message>
    <message>
        <source>{type} and {num} more</source>
        <translation>{type} 和另外 {num} 个</translation>
    </message>
    <message>
        <source>{unplaced} of all work could not be placed on an instruction of a module.</source>
        <translation>全部工作的 {unplaced} 无法对应到模块的指令。</translation>
    </message>
    <message>
        <source>{value} bounds {kernels}</source>
        <translation>{value}限制了{kernels}</translation>
    </message>
    <message>
        <source>{value} in the last of {num_runs} looked at</source>
        <translation>{value}（所看 {num_runs}中的最后一次）</translation>
    </message>
    <message>
        <source>{value} is also computed in {places}</source>
        <translation>{value} 也在 {places} 中计算</translation>
    </message>
    <message>
        <source>{value} is computed in {places}</source>
        <translation>{value} 在 {places} 中计算</translation>
    </message>
    <message>
        <source>{value} of {equations}</source>
        <translation>{equations} 的 {value}</translation>
    </message>
    <message>
        <source>{verdict}{pairs}, {interval}</source>
        <translation>{verdict}{pairs}，{interval}</translation>
    </message>
    <message>
        <source>{wanted} became {given}: JAX uses 64-bit types only with --x64.</source>
        <translation>{wanted} 变成了 {given}：JAX 只有在 --x64 下才使用 64 位类型。</translation>
    </message>
    <message>
        <source>{wanted} is asked for here, and JAX gives {given}: it has types of 64 bits only where they are switched on.</source>
        <translation>这里请求 {wanted}，而 JAX 给出 {given}：只有在打开 64 位类型时它才有这些类型。</translation>
    </message>
    <message>
        <source>{was} became {now}{by} in {pass_name}</source>
        <translation>{was} 变成 {now}{by}（在 {pass_name} 中）</translation>
    </message>
    <message>
        <source>{what} (line {line})</source>
        <translation>{what}（第 {line} 行）</translation>
    </message>
    <message>
        <source>{what} failed: {why}</source>
        <translation>{what} 失败：{why}</translation>
    </message>
    <message>
        <source>{what} is inside of a loop: each run of the program calls Python {often}, with a copy to the host for each.</source>
        <translation>{what} 在一个循环里面：程序的每次运行都要调用 Python {often}，每次都要复制到主机。</translation>
    </message>
    <message>
        <source>{what} is missing: {command} ({terms})</source>
        <translation>缺少 {what}：{command}（{terms}）</translation>
    </message>
    <message>
        <source>{what} {path}</source>
        <translation>{what} {path}</translation>
    </message>
    <message>
        <source>{what}{who}</source>
        <translation>{what}{who}</translation>
    </message>
    <message>
        <source>{when}.</source>
        <translation>{when}。</translation>
    </message>
    <message>
        <source>{where}, round {number:,} (from 0)</source>
        <translation>{where}，第 {number:,} 轮（从 0 数起）</translation>
    </message>
    <message>
        <source>{whole}, in parts, which {last} combine</source>
        <translation>{whole}，分成几部分，再由 {last} 合并</translation>
    </message>
    <message>
        <source>{whole}, in parts, which {last} combines</source>
        <translation>{whole}，分为几部分，再由 {last} 合并</translation>
    </message>
    <message>
        <source>{why}.</source>
        <translation>{why}。</translation>
    </message>
    <message>
        <source>{why}: no time is laid over it.</source>
        <translation>{why}：没有把时间叠加上去。</translation>
    </message>
    <message>
        <source>{wide:,} × {round:,} pixels and the legend.</source>
        <translation>{wide:,} × {round:,} 像素，含图例。</translation>
    </message>
    <message>
        <source>{words} at {place}</source>
        <translation>{words}，位于 {place}</translation>
    </message>
    <message>
        <source>{word} (lines of text)</source>
        <translation>{word}（文本行）</translation>
    </message>
    <message>
        <source>{word} from {value}</source>
        <translation>{word}，从 {value} 起</translation>
    </message>
    <message>
        <source>{word} is neither a saved capture nor a call.</source>
        <translation>{word} 既不是已保存的捕获，也不是调用。</translation>
    </message>
    <message>
        <source>{word} is no option: write name=value.</source>
        <translation>{word} 不是选项：请写 name=value。</translation>
    </message>
    <message>
        <source>{word} names no dimension of an argument.</source>
        <translation>{word} 没有指明参数的维度。</translation>
    </message>
    <message>
        <source>{word} {value}</source>
        <translation>{word} {value}</translation>
    </message>
    <message>
        <source>{work} of work in {covered}: several threads work at the same time. Shares are of the work.</source>
        <translation>{covered} 之内有 {work} 的工作：几个线程同时工作。份额按工作计。</translation>
    </message>
    <message>
        <source>|◀</source>
        <translation>|◀</translation>
    </message>
    <message>
        <source>µs apart</source>
        <translation>µs 分开</translation>
    </message>
    <message>
        <source>µs fused</source>
        <translation>µs 融合</translation>
    </message>
    <message>
        <source>… and {num_leaves:,} more</source>
        <translation>… 另有 {num_leaves:,} 个</translation>
    </message>
    <message>
        <source>… and {num_names} more</source>
        <translation>… 另有 {num_names} 个</translation>
    </message>
    <message>
        <source>… needs something before and after it: dot_general -&gt; ... -&gt; max</source>
        <translation>… 的前后都要有内容：dot_general -&gt; ... -&gt; max</translation>
    </message>
    <message>
        <source>… stands alone between two arrows: dot_general -&gt; ... -&gt; max</source>
        <translation>… 单独位于两个箭头之间：dot_general -&gt; ... -&gt; max</translation>
    </message>
    <message>
        <source>←: back</source>
        <translation>←：后退</translation>
    </message>
    <message>
        <source>↗: inside drawn at another box</source>
        <translation>↗：内部画在另一个方框处</translation>
    </message>
    <message>
        <source>−1, 0 or 1 by the sign of every element.</source>
        <translation>−1、0 或 1，按每个元素的符号。</translation>
    </message>
    <message>
        <source>≥ {amount}</source>
        <translation>≥ {amount}</translation>
    </message>
    <message>
        <source>▶|</source>
        <translation>▶|</translation>
    </message>
    <message>
        <source>◀</source>
        <translation>◀</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找范围(&amp;L)：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型(&amp;T)：</translation>
    </message>
</context>
</TS>
